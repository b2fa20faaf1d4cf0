import { expect, it } from 'vitest';
import { readWav, writeWav, type WavFormat } from '../../../../src/kernel/wav.ts';
import { joinWav } from './join-wav.ts';

const format: WavFormat = {
  encoding: 'integer',
  channels: 1,
  sampleRate: 8000,
  bitsPerSample: 8,
};

it('joins the samples of files, also of odd sizes', async () => {
  const files = ['One.', 'Three', '', 'Four'].map((text) => writeWav(format, [Buffer.from(text)]));
  const joined = await joinWav(files.map((file) => new Blob([new Uint8Array(file)])));
  expect(joined.type).toBe('audio/wav');
  const bytes = Buffer.from(await joined.arrayBuffer());
  expect(bytes).toEqual(writeWav(format, [Buffer.from('One.ThreeFour')]));
  expect(readWav(bytes)?.format).toEqual(format);
});
