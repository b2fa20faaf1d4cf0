import { expect, it } from 'vitest';
import { encodeWav } from './record.ts';

it('writes samples as a WAV file', () => {
  const view = new DataView(encodeWav(new Float32Array([0, 1, -1, 2, 0.5]), 16_000));
  const text = (at: number) =>
    String.fromCharCode(...[0, 1, 2, 3].map((index) => view.getUint8(at + index)));
  expect([text(0), text(8), text(12), text(36)]).toEqual(['RIFF', 'WAVE', 'fmt ', 'data']);
  expect(view.getUint32(4, true)).toBe(view.byteLength - 8);
  expect(view.getUint32(24, true)).toBe(16_000);
  expect(view.getUint32(40, true)).toBe(10);
  const samples = [0, 1, 2, 3, 4].map((index) => view.getInt16(44 + 2 * index, true));
  expect(samples).toEqual([0, 32_767, -32_767, 32_767, 16_383]);
});
