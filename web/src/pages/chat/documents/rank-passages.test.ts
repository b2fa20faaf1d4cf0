import { expect, it } from 'vitest';
import { nearest } from './rank-passages.ts';

const vectors = [
  [1, 0],
  [0, 1],
  [0.9, 0.1],
  [0, 0],
];

it('chooses the nearest ones that fit, in their order', () => {
  const sizes = [5, 5, 5, 5];
  expect(nearest([2, 0], vectors, sizes, { maxSize: 10, maxCount: 9 })).toEqual([0, 2]);
  expect(nearest([0, 1], vectors, sizes, { maxSize: 99, maxCount: 2 })).toEqual([1, 2]);
});

it('chooses one also if it is too large', () => {
  expect(nearest([0, 1], vectors, [50, 50, 50, 50], { maxSize: 10, maxCount: 9 })).toEqual([1]);
});
