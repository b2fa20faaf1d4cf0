import { expect, it } from 'vitest';
import { randomBytes } from './random-bytes.ts';

it('never returns the same bytes twice', () => {
  const all = Array.from({ length: 3000 }, () => randomBytes(16));
  expect(new Set(all.map((bytes) => bytes.toString('hex'))).size).toBe(3000);
  for (const bytes of all) expect(bytes).toHaveLength(16);
});

it('returns more bytes than the pool has', () => {
  expect(randomBytes(10_000)).toHaveLength(10_000);
});
