import { expect, it } from 'vitest';
import { Circuit } from './circuit.ts';

function openCircuit() {
  let now = 0;
  const circuit = new Circuit(() => now);
  const fail = (times: number): void => {
    for (let count = 0; count < times; count += 1) {
      circuit.begin();
      circuit.fail();
    }
  };
  return {
    circuit,
    fail,
    wait: (ms: number): void => {
      now += ms;
    },
  };
}

it('opens after three failures in a row', () => {
  const { circuit, fail } = openCircuit();
  fail(2);
  expect(circuit.isPassable).toBe(true);
  circuit.succeed();
  fail(2);
  expect(circuit.state).toBe('closed');
  fail(1);
  expect(circuit.state).toBe('open');
  expect(circuit.isPassable).toBe(false);
  expect(circuit.waitMs).toBe(1000);
});

it('lets one request through after its pause, whose success closes it', () => {
  const { circuit, fail, wait } = openCircuit();
  fail(3);
  wait(1000);
  expect(circuit.state).toBe('half-open');
  expect(circuit.isPassable).toBe(true);
  circuit.begin();
  expect(circuit.isPassable).toBe(false);
  expect(circuit.waitMs).toBeGreaterThan(0);
  circuit.succeed();
  expect(circuit.state).toBe('closed');
  fail(3);
  expect(circuit.waitMs).toBe(1000);
});

it('doubles its pause with each failed probe, up to a minute', () => {
  const { circuit, fail, wait } = openCircuit();
  fail(3);
  const pauses = Array.from({ length: 8 }, () => {
    wait(circuit.waitMs);
    fail(1);
    return circuit.waitMs;
  });
  expect(pauses).toEqual([2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000, 60_000]);
});

it('stays half-open after a probe that its client cancelled', () => {
  const { circuit, fail, wait } = openCircuit();
  fail(3);
  wait(1000);
  circuit.begin();
  circuit.cancel();
  expect(circuit.state).toBe('half-open');
  expect(circuit.isPassable).toBe(true);
});
