import { expect, it } from 'vitest';
import { estimateFromSize, memoryFit } from './memory-fit.ts';

it.each([
  [4, 'fits'],
  [5, 'partly'],
  [8, 'partly'],
  [9, 'too_large'],
])('of %d bytes, with 4 usable of 8, is %s', (bytes, fit) => {
  expect(memoryFit(bytes, { usableBytes: 4, capacityBytes: 8 })).toBe(fit);
});

it('of a file counts its cache and buffers', () => {
  expect(estimateFromSize(0)).toBe(192 * 1024 * 1024);
  expect(estimateFromSize(8e9)).toBe(9e9 + 192 * 1024 * 1024);
});
