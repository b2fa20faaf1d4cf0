import { expect, it } from 'vitest';
import { hasBranches, newestLeaf, pathTo, siblingsOf } from './branches.ts';

// a ─ b ─ c
//   └ d ─ e
const nodes = [
  ['a', null],
  ['b', 'a'],
  ['c', 'b'],
  ['d', 'a'],
  ['e', 'd'],
].map(([id, previous]) => ({
  response_id: id ?? '',
  previous_response_id: previous ?? null,
}));

it('gives the path from the beginning to a leaf', () => {
  expect(pathTo(nodes, 'e').map(({ response_id: id }) => id)).toEqual(['a', 'd', 'e']);
  expect(pathTo(nodes, 'missing')).toEqual([]);
});

it('gives the branches of a place, oldest first', () => {
  expect(siblingsOf(nodes, 'a').map(({ response_id: id }) => id)).toEqual(['b', 'd']);
});

it('gives the newest end below a response', () => {
  expect(newestLeaf(nodes, 'b')).toBe('c');
  expect(newestLeaf(nodes, 'a')).toBe('e');
  expect(newestLeaf(nodes, 'c')).toBe('c');
});

it('knows whether a response, or the beginning, is continued more than once', () => {
  const node = (id: string, previous: string | null) => ({
    response_id: id,
    previous_response_id: previous,
  });
  expect(hasBranches([node('a', null), node('b', 'a')])).toBe(false);
  expect(hasBranches([node('a', null), node('b', 'a'), node('c', 'a')])).toBe(true);
  expect(hasBranches([node('a', null), node('b', null)])).toBe(true);
});
