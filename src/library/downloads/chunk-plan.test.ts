import { assert, integer, nat, property } from 'fast-check';
import { expect, it } from 'vitest';
import { chooseBatchBytes, chooseChunkBytes, planChunks } from './chunk-plan.ts';

it('covers every byte of a file once', () => {
  assert(
    property(nat(10_000), integer({ min: 100, max: 5000 }), (fileBytes, chunkBytes) => {
      const chunks = planChunks(fileBytes, chunkBytes);
      let next = 0;
      for (const [index, chunk] of chunks.entries()) {
        expect(chunk).toMatchObject({ index, start: next });
        expect(chunk.end - chunk.start).toBeGreaterThan(0);
        expect(chunk.end - chunk.start).toBeLessThanOrEqual(chunkBytes);
        next = chunk.end;
      }
      expect(next).toBe(fileBytes);
    }),
    { numRuns: 50 },
  );
});

it('cuts large files into larger chunks, so that there are never too many', () => {
  const gibibyte = 1024 ** 3;
  expect(chooseChunkBytes(1)).toBe(16 * 1024 ** 2);
  expect(chooseChunkBytes(200_000_000)).toBe(16 * 1024 ** 2);
  for (const fileBytes of [16 * gibibyte, 16 * gibibyte + 1, 700 * gibibyte]) {
    const chunkBytes = chooseChunkBytes(fileBytes);
    expect(fileBytes / chunkBytes).toBeLessThanOrEqual(1024);
  }
});

it('writes often enough that a kill loses less than a chunk over all connections', () => {
  const mebibyte = 1024 ** 2;
  expect(chooseBatchBytes(16 * mebibyte, 4)).toBe(mebibyte);
  expect(chooseBatchBytes(16 * mebibyte, 16)).toBe(mebibyte / 2);
  expect(chooseBatchBytes(64 * 1024, 4)).toBe(8 * 1024);
  expect(chooseBatchBytes(7, 2)).toBe(2);
});

it('cuts at the first size that needs more than 1,024 chunks', () => {
  const mebibyte = 1024 ** 2;
  expect(chooseChunkBytes(16 * 1024 * mebibyte)).toBe(16 * mebibyte);
  expect(chooseChunkBytes(16 * 1024 * mebibyte + 1)).toBe(17 * mebibyte);
});
