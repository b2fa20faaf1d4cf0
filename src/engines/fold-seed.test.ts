import { expect, it } from 'vitest';
import { foldSeed } from './fold-seed.ts';

it.each([0, 7, 2 ** 32 - 2, -1])('keeps %d', (seed) => {
  expect(foldSeed(seed)).toBe(seed);
});

it('folds other integers, each bit of which counts', () => {
  const seeds = [2 ** 32, 2 ** 53 - 1, -2, -(2 ** 53) + 1, 6129484611666145821n, -(2n ** 63n)];
  const folded = seeds.map(foldSeed);
  for (const seed of folded) {
    expect(Number.isInteger(seed)).toBe(true);
    expect(seed).toBeGreaterThanOrEqual(0);
    expect(seed).toBeLessThan(2 ** 32 - 1);
  }
  expect(foldSeed(2 ** 32 - 1)).toBe(0);
  expect(new Set(folded).size).toBe(seeds.length);
  expect(foldSeed(6129484611666145822n)).not.toBe(foldSeed(6129484611666145821n));
});
