import { describe, expect, it } from 'vitest';
import { describeFormat, durationSeconds, isSameFormat, readWav, writeWav } from './wav.ts';

const format = { encoding: 'integer', channels: 1, sampleRate: 24_000, bitsPerSample: 16 } as const;
const samples = Buffer.from([1, 0, 2, 0, 3, 0]);

describe('a WAV file', () => {
  it('is read as it was written', () => {
    for (const each of [format, { ...format, encoding: 'float', bitsPerSample: 32 } as const]) {
      const data = Buffer.concat([samples, samples]);
      expect(readWav(writeWav(each, [data]))).toEqual({ format: each, samples: data });
    }
    const eightBits = { ...format, bitsPerSample: 8 };
    const odd = Buffer.from([1, 2, 3]);
    const file = writeWav(eightBits, [odd]);
    expect(file.length % 2).toBe(0);
    expect(readWav(file)?.samples).toEqual(odd);
  });

  it('joins its pieces', () => {
    const joined = writeWav(format, [samples, samples]);
    expect(readWav(joined)?.samples).toEqual(Buffer.concat([samples, samples]));
    expect(joined.readUInt32LE(4)).toBe(joined.length - 8);
    expect(joined.readUInt32LE(28)).toBe(48_000);
  });

  it.each([0, 0xffff_ffff])('of a server that streams has the size %i', (size) => {
    const file = writeWav(format, [samples]);
    file.writeUInt32LE(size, 40);
    expect(readWav(file)?.samples).toEqual(samples);
  });

  it('may have other chunks, an extensible format and half a sample at its end', () => {
    const file = writeWav(format, [samples]);
    const extension = Buffer.alloc(24);
    extension.writeUInt16LE(22, 0);
    extension.writeUInt16LE(1, 8);
    const chunk = Buffer.concat([file.subarray(12, 36), extension]);
    chunk.writeUInt32LE(40, 4);
    chunk.writeUInt16LE(0xfffe, 8);
    const list = Buffer.from('LIST\x03\0\0\0abc\0', 'latin1');
    const data = Buffer.concat([file.subarray(36), Buffer.from([9])]);
    data.writeUInt32LE(7, 4);
    const whole = Buffer.concat([file.subarray(0, 12), list, chunk, data]);
    expect(readWav(whole)).toEqual({ format, samples });
  });
});

it.each([
  ['nothing', Buffer.alloc(0)],
  ['an MP3 file', Buffer.from('ID3\x03\0\0\0\0\0\0\0\0\0\0\0\0', 'latin1')],
  ['a file without data', writeWav(format, []).subarray(0, 36)],
  ['data before the format', Buffer.from('RIFF\0\0\0\0WAVEdata\x02\0\0\0ab', 'latin1')],
])('%s is not one', (_, bytes) => {
  expect(readWav(bytes)).toBeUndefined();
});

it('is not one if it is compressed, or has samples of no size', () => {
  for (const [at, value] of [
    [20, 7],
    [22, 0],
    [34, 0],
    [34, 12],
  ] as const) {
    const file = writeWav(format, [samples]);
    file.writeUInt16LE(value, at);
    expect(readWav(file)).toBeUndefined();
  }
});

it('tells formats apart', () => {
  expect(describeFormat(format)).toBe('24000 Hz, 1 channel, 16 bits (integer)');
  expect(isSameFormat(format, { ...format })).toBe(true);
  expect(isSameFormat(format, { ...format, channels: 2 })).toBe(false);
  expect(durationSeconds({ format, samples: Buffer.alloc(24_000) })).toBe(0.5);
});
