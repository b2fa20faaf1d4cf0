import { describe, expect, it } from 'vitest';
import { estimate, estimateRatio, quantile } from './statistics.ts';

describe('quantile', () => {
  it.each([
    [[3], 0.5, 3],
    [[4, 1, 3, 2], 0.5, 2.5],
    [[1, 2, 3, 4, 5], 0.5, 3],
    [[10, 20, 30, 40, 50], 0.95, 48],
    [[2, 1], 0, 1],
    [[2, 1], 1, 2],
  ])('of %j at %d is %d', (samples, fraction, expected) => {
    expect(quantile(samples, fraction)).toBeCloseTo(expected, 10);
  });

  it('refuses an empty sample', () => {
    expect(() => quantile([], 0.5)).toThrow(RangeError);
  });
});

it('estimates over all samples, with the range of the rounds', () => {
  expect(estimate([[1, 3], [10], [4]], 0.5)).toEqual({ value: 3.5, low: 2, high: 10 });
});

it('compares within each round', () => {
  expect(estimateRatio([[90], [80], [50]], [[100], [100], [40]], 0.5)).toEqual({
    value: 0.8,
    low: 0.8,
    high: 1.25,
  });
});
