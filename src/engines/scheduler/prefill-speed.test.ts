import { describe, expect, it } from 'vitest';
import { PrefillSpeed } from './prefill.ts';

/** Seconds to read 1,000 tokens after these measurements of tokens and milliseconds. */
function secondsAfter(...readings: readonly (readonly [number, number])[]): number | undefined {
  const speed = new PrefillSpeed(256);
  for (const [tokens, ms] of readings) speed.measure(tokens, ms);
  return speed.secondsToRead(1000);
}

describe('the speed of reading', () => {
  it('is unknown before a reading of some length', () => {
    expect(secondsAfter()).toBeUndefined();
    expect(secondsAfter([7, 10], [100, 0])).toBeUndefined();
  });

  it('is the mean of the last reading and those before', () => {
    expect(secondsAfter([100, 1000])).toBe(10);
    expect(secondsAfter([100, 1000], [300, 1000])).toBe(5);
    expect(secondsAfter([300, 1000], [100, 1000])).toBe(5);
  });

  it('is at least that of a short reading, which takes longer for each token', () => {
    expect(secondsAfter([10, 100])).toBe(10);
    expect(secondsAfter([300, 1000], [31, 310])).toBe(1000 / 300);
    expect(secondsAfter([100, 1000], [30, 100])).toBe(5);
  });
});
