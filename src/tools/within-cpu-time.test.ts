import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { expect, it } from 'vitest';
import { CpuTimeError, threadCpuMs, withinCpuTime } from './within-cpu-time.ts';

/** Blocks the thread without using the CPU, like a busy machine. */
function stall(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

function useCpu(ms: number): void {
  const until = threadCpuMs() + ms;
  while (threadCpuMs() < until);
}

it('returns the result or throws the error of the work', () => {
  expect(withinCpuTime(1000, () => 7)).toBe(7);
  expect(withinCpuTime(1000, () => undefined)).toBeUndefined();
  const error = new Error('mine');
  expect(() =>
    withinCpuTime(1000, () => {
      throw error;
    }),
  ).toThrow(error);
});

it('interrupts a regular expression that would take forever', () => {
  const hostile = /^(a+)+$/u;
  const startedMs = threadCpuMs();
  expect(() => withinCpuTime(20, () => hostile.test(`${'a'.repeat(60)}b`))).toThrow(CpuTimeError);
  expect(threadCpuMs() - startedMs).toBeLessThan(500);
  expect(withinCpuTime(1000, () => 'still works')).toBe('still works');
});

it('interrupts work that uses its CPU time in several runs', () => {
  let runs = 0;
  expect(() =>
    withinCpuTime(100, () => {
      runs += 1;
      if (runs < 3) stall(10_000);
      useCpu(10_000);
    }),
  ).toThrow(CpuTimeError);
  expect(runs).toBeGreaterThan(2);
});

it('does not count time in which the thread does not run', () => {
  let runs = 0;
  const result = withinCpuTime(50, () => {
    runs += 1;
    if (runs < 4) stall(10_000);
    return 'done';
  });
  expect([result, runs]).toEqual(['done', 4]);
});

it('gives up work that never gets the CPU', () => {
  expect(() => withinCpuTime(20, () => stall(60_000))).toThrow(CpuTimeError);
});

it('completes short work on a busy machine', async () => {
  const busy = Array.from({ length: 2 * availableParallelism() }, () =>
    spawn(process.execPath, ['-e', 'process.stdout.write("busy"); for (;;);'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    }),
  );
  try {
    await Promise.all(
      busy.map(
        ({ stdout }) =>
          new Promise((resolve) => {
            stdout.once('data', resolve);
          }),
      ),
    );
    const pattern = /^[a-z]+$/u;
    for (let count = 0; count < 100; count += 1) {
      expect(withinCpuTime(50, () => pattern.test('abc'))).toBe(true);
    }
  } finally {
    for (const child of busy) child.kill('SIGKILL');
  }
});
