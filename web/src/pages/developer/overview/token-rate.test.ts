import { expect, it } from 'vitest';
import { ratesOf, withCount, type TokenCount } from './token-rate.ts';

it('computes tokens per second between counts', () => {
  const counts = [
    { atMs: 0, tokens: 100 },
    { atMs: 2000, tokens: 100 },
    { atMs: 4000, tokens: 160 },
  ];
  expect(ratesOf(counts)).toEqual([0, 30]);
  expect(ratesOf([])).toEqual([]);
});

it('keeps a minute, and begins again with a server that started again', () => {
  let counts: readonly TokenCount[] = [];
  for (let atMs = 0; atMs <= 100_000; atMs += 2000)
    counts = withCount(counts, { atMs, tokens: atMs });
  expect(counts).toHaveLength(31);
  expect(withCount(counts, { atMs: 101_000, tokens: 3 })).toEqual([{ atMs: 101_000, tokens: 3 }]);
});
