import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Circuit } from './circuit.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => void vi.useRealTimers());

function openCircuit() {
  const health = { isGood: false, questions: 0 };
  const closing = new AbortController();
  const circuit = new Circuit({
    isHealthy: async () => {
      health.questions += 1;
      return health.isGood;
    },
    signal: closing.signal,
  });
  const wait = (ms: number) => vi.advanceTimersByTimeAsync(ms);
  const fail = async (times: number): Promise<void> => {
    for (let count = 0; count < times; count += 1) circuit.fail();
    await wait(0);
  };
  return { circuit, health, closing, fail, wait };
}

it('asks for the health after three failures in a row, and opens if it is bad', async () => {
  const { circuit, health, fail } = openCircuit();
  await fail(2);
  circuit.succeed();
  await fail(2);
  expect(health.questions).toBe(0);
  await fail(1);
  expect(health.questions).toBe(1);
  expect(circuit.state).toBe('open');
  expect(circuit.waitMs).toBe(1000);
});

it('stays closed if the health is good: the requests were wrong', async () => {
  const { circuit, health, fail } = openCircuit();
  health.isGood = true;
  await fail(3);
  expect(circuit.state).toBe('closed');
  await fail(2);
  expect(health.questions).toBe(1);
});

it('asks again after each pause, which doubles up to ten seconds', async () => {
  const { circuit, health, fail, wait } = openCircuit();
  await fail(5);
  const pauses: number[] = [];
  for (let count = 0; count < 6; count += 1) {
    pauses.push(circuit.waitMs);
    await wait(circuit.waitMs);
  }
  expect(pauses).toEqual([1000, 2000, 4000, 8000, 10_000, 10_000]);
  expect(health.questions).toBe(7);
  health.isGood = true;
  await wait(circuit.waitMs);
  expect(circuit.state).toBe('closed');
  expect(circuit.waitMs).toBe(0);
  health.isGood = false;
  await fail(3);
  expect(circuit.waitMs).toBe(1000);
});

it('is half-open until the health is known', async () => {
  const answers: ((isHealthy: boolean) => void)[] = [];
  const circuit = new Circuit({
    isHealthy: () => new Promise((resolve) => void answers.push(resolve)),
    signal: new AbortController().signal,
  });
  for (let count = 0; count < 3; count += 1) circuit.fail();
  answers[0]?.(false);
  await vi.advanceTimersByTimeAsync(1000);
  expect(circuit.state).toBe('half-open');
  answers[1]?.(true);
  await vi.advanceTimersByTimeAsync(0);
  expect(circuit.state).toBe('closed');
});

it('opens for a silent replica until its engine passes a test', async () => {
  const { circuit, health, wait } = openCircuit();
  health.isGood = true;
  let works = false;
  circuit.hang(async () => works);
  expect(circuit.state).toBe('open');
  await wait(1000);
  expect(circuit.state).toBe('open');
  works = true;
  await wait(circuit.waitMs);
  expect(circuit.state).toBe('closed');
});

it('closes with a request that succeeds', async () => {
  const { circuit, health, fail, wait } = openCircuit();
  await fail(3);
  circuit.succeed();
  expect(circuit.state).toBe('closed');
  await wait(60_000);
  expect(health.questions).toBe(1);
});

it('asks nothing after its end', async () => {
  const { health, closing, fail, wait } = openCircuit();
  await fail(3);
  closing.abort();
  await wait(60_000);
  expect(health.questions).toBe(1);
});
