import { describe, expect, it } from 'vitest';
import { SpentBuffers } from './spent-buffers.ts';

const piece = (byteLength: number): Uint8Array => new Uint8Array(new ArrayBuffer(byteLength));
const bytes = (pieces: readonly Uint8Array[]): readonly number[] =>
  pieces.map(({ byteLength }) => byteLength);

describe('SpentBuffers', () => {
  it('frees all but the last, which is freed with the next', () => {
    const spent = new SpentBuffers();
    const first = [piece(10), piece(10), piece(10)];
    spent.free(first);
    expect(bytes(first)).toEqual([0, 0, 10]);
    const second = [piece(10)];
    spent.free(second);
    expect(bytes([...first, ...second])).toEqual([0, 0, 0, 10]);
  });

  it('keeps the following piece in the same buffer', () => {
    const spent = new SpentBuffers();
    const shared = new ArrayBuffer(30);
    const [early, late, next] = [0, 10, 20].map((start) => new Uint8Array(shared, start, 10));
    if (early === undefined || late === undefined || next === undefined) return;
    spent.free([piece(10), early, late]);
    expect(bytes([early, late, next])).toEqual([10, 10, 10]);
    spent.free([next, piece(10)]);
    expect(bytes([early, late, next])).toEqual([0, 0, 0]);
  });

  it('keeps memory that Node shares among buffers', () => {
    const pooled = Buffer.from('pooled');
    new SpentBuffers().free([pooled, piece(10)]);
    expect(pooled.toString()).toBe('pooled');
  });
});
