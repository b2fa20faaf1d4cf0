import { expect, it } from 'vitest';
import { fuseRanks } from './fuse-ranks.ts';
import type { Hit } from './search-passages.ts';

const hit = (fileId: string, score: number): Hit => ({
  file: { vectorStoreId: 'vs_1', fileId } as Hit['file'],
  position: 0,
  index: 0,
  score,
});
const equal = { embedding: 1, text: 1 };
const order = (hits: readonly Hit[]) =>
  hits.toSorted((left, right) => right.score - left.score).map(({ file }) => file.fileId);

it('puts a passage first that both ranks have near the top', () => {
  const closest = [hit('c', 0.1), hit('a', 0.9), hit('b', 0.8)];
  const matching = [hit('d', 9), hit('b', 8)];
  expect(order(fuseRanks(closest, matching, equal))).toEqual(['b', 'a', 'd', 'c']);
});

it('scores 1 what is first in both, and less what is in one', () => {
  const [first, second] = fuseRanks([hit('a', 0.3)], [hit('a', 7), hit('b', 6)], equal);
  expect(first?.score).toBe(1);
  expect(second?.score).toBeCloseTo(61 / 62 / 2);
});

it('leaves out ranks without weight', () => {
  const text = fuseRanks([hit('a', 1)], [hit('b', 1)], { embedding: 0, text: 3 });
  expect(order(text)).toEqual(['b']);
  expect(fuseRanks([hit('a', 1)], [hit('b', 1)], { embedding: 3, text: 0 })).toMatchObject([
    { file: { fileId: 'a' }, score: 1 },
  ]);
});
