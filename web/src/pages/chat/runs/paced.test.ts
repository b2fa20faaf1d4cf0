import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { paced } from './paced.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const frame = (callback: FrameRequestCallback) => {
  setTimeout(() => callback(performance.now()), 16);
  return 0;
};

it('takes a fifth of the time at most, and shows the last change', () => {
  let value = 0;
  const seen: number[] = [];
  const { request } = paced(() => {
    seen.push(value);
    // Rendering takes 20 ms.
    vi.advanceTimersByTime(20);
  }, frame);
  for (let step = 1; step <= 100; step += 1) {
    value = step;
    request();
    vi.advanceTimersByTime(10);
  }
  vi.runAllTimers();
  expect(seen.length).toBeGreaterThan(5);
  expect(seen.length).toBeLessThan(20);
  expect(seen.at(-1)).toBe(100);
});

it('shows nothing that was taken back', () => {
  const show = vi.fn<() => void>();
  const { request, cancel } = paced(show, frame);
  request();
  cancel();
  vi.runAllTimers();
  expect(show).not.toHaveBeenCalled();
  request();
  vi.runAllTimers();
  expect(show).toHaveBeenCalledOnce();
});
