import { availableParallelism, totalmem } from 'node:os';
import { expect, it } from 'vitest';
import { readAvailableMemory, readDefaultThreads } from './read-machine.ts';

it('reads the memory of this machine', () => {
  const { bytes } = readAvailableMemory();
  expect(bytes).toBeGreaterThan(0);
  expect(bytes).toBeLessThanOrEqual(totalmem());
});

it('reads the processors of this machine', () => {
  const threads = readDefaultThreads();
  expect(threads).toBeGreaterThanOrEqual(1);
  expect(threads).toBeLessThanOrEqual(availableParallelism());
});
