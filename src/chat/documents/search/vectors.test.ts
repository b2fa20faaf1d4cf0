import { expect, it } from 'vitest';
import { toBytes, toFloats } from './vectors.ts';

it('reads vectors at any place of a buffer, and copies them only where floats cannot be', () => {
  const vectors = [Float32Array.of(1, 0.5), Float32Array.of(-2, 0.25)];
  const bytes = toBytes(vectors);
  for (const offset of [0, 1, 2, 3, 4]) {
    const buffer = new Uint8Array(bytes.length + offset);
    buffer.set(bytes, offset);
    const floats = toFloats(buffer.subarray(offset));
    expect([...floats]).toEqual([1, 0.5, -2, 0.25]);
    expect(floats.buffer === buffer.buffer).toBe(offset % 4 === 0);
  }
});
