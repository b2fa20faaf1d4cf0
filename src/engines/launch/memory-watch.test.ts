import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { watchMemory, type MemoryWatch } from './memory-watch.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const outgrown = vi.fn<(bytes: number, limitBytes: number) => void>();
beforeEach(() => void outgrown.mockClear());

function start(measured: readonly (number | undefined)[], expectedBytes?: number): MemoryWatch {
  const left = [...measured];
  return watchMemory({
    measureBytes: async () => left.shift(),
    expectedBytes,
    spareBytes: 50,
    intervalMs: 1000,
    onOutgrown: outgrown,
  });
}

async function watch(measured: readonly (number | undefined)[], expectedBytes?: number) {
  const started = start(measured, expectedBytes);
  await started.markLoaded();
  return started;
}

it('reports once that a process exceeds twice its estimate and the spare', async () => {
  await watch([100, 240, 250, 251, 900]);
  await vi.advanceTimersByTimeAsync(2000);
  expect(outgrown).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(outgrown.mock.calls).toEqual([[251, 250]]);
});

it('allows a process to reach its estimate', async () => {
  await watch([100, 450, 451], 200);
  await vi.advanceTimersByTimeAsync(1000);
  expect(outgrown).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1000);
  expect(outgrown.mock.calls).toEqual([[451, 450]]);
});

it('watches a process that still loads, if there is an estimate', async () => {
  start([450, 451], 200);
  start([100, 900_000]);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(outgrown.mock.calls).toEqual([[451, 450]]);
});

it('reports nothing after close, or for a process that has exited', async () => {
  (await watch([100, 900])).close();
  await watch([100, undefined]);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(outgrown).not.toHaveBeenCalled();
});

it('does nothing if the platform does not report memory', async () => {
  await watch([undefined, 900]);
  expect(vi.getTimerCount()).toBe(0);
});
