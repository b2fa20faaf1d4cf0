import { expect, it } from 'vitest';
import { branchSegments } from './branch-segments.ts';

const node = (id: string, previous: string | null) => ({
  response_id: id,
  previous_response_id: previous,
});
const rows = (...nodes: readonly ReturnType<typeof node>[]) =>
  branchSegments(nodes).map(({ first, last, length, depth }) => [
    first.response_id,
    last.response_id,
    length,
    depth,
  ]);

it('joins responses without branches, and lists branches below their place', () => {
  expect(
    rows(node('a', null), node('b', 'a'), node('c', 'b'), node('d', 'b'), node('e', 'c')),
  ).toEqual([
    ['a', 'b', 2, 0],
    ['c', 'e', 2, 1],
    ['d', 'd', 1, 1],
  ]);
});

it('has several beginnings, also behind a response that is gone', () => {
  expect(rows(node('a', null), node('b', null), node('c', 'gone'))).toEqual([
    ['a', 'a', 1, 0],
    ['b', 'b', 1, 0],
    ['c', 'c', 1, 0],
  ]);
});

it('takes long conversations', () => {
  const chain = Array.from({ length: 20_000 }, (_, index) =>
    node(`${index}`, index === 0 ? null : `${index - 1}`),
  );
  expect(rows(...chain)).toEqual([['0', '19999', 20_000, 0]]);
});
