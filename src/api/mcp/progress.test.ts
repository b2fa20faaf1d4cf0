import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Progress } from './progress.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

it('sends the first state at once and the newest one each second, until it is closed', () => {
  const sent: (readonly [number, string])[] = [];
  const progress = new Progress((...step) => sent.push(step));
  vi.advanceTimersByTime(5000);
  expect(sent).toEqual([]);
  progress.report('Waiting');
  progress.report('Loading');
  progress.report('Answering');
  expect(sent).toEqual([[1, 'Waiting']]);
  vi.advanceTimersByTime(2000);
  expect(sent.slice(1)).toEqual([
    [2, 'Answering'],
    [3, 'Answering'],
  ]);
  progress.close();
  vi.advanceTimersByTime(5000);
  expect(sent).toHaveLength(3);
});
