/** Format of uncompressed audio. */
export interface WavFormat {
  readonly encoding: 'integer' | 'float';
  readonly channels: number;
  readonly sampleRate: number;
  readonly bitsPerSample: number;
}

export interface WavAudio {
  readonly format: WavFormat;
  /** Interleaved samples of all channels, little-endian. */
  readonly samples: Buffer;
}

const headerBytes = 44;
const formatTags = { integer: 1, float: 3 } as const;
/** In this format, the first two bytes of the subformat are the encoding. */
const extensibleTag = 0xfffe;

/**
 * Reads a WAV file (RIFF, "Multimedia Programming Interface and Data Specifications 1.0"). A streaming server does not
 * know the size of the data when it writes the header, so a size of 0 or beyond the end means all bytes that follow.
 *
 * @returns undefined if the file is not WAV or is compressed.
 */
export function readWav(bytes: Buffer): WavAudio | undefined {
  if (bytes.length < 12 || bytes.toString('latin1', 0, 4) !== 'RIFF') return undefined;
  if (bytes.toString('latin1', 8, 12) !== 'WAVE') return undefined;
  let format: WavFormat | undefined;
  for (let at = 12; at + 8 <= bytes.length;) {
    const name = bytes.toString('latin1', at, at + 4);
    const size = bytes.readUInt32LE(at + 4);
    const start = at + 8;
    if (name === 'fmt ' && size >= 16 && start + size <= bytes.length) {
      format = readFormat(bytes.subarray(start, start + size));
    }
    if (name === 'data') {
      if (format === undefined) return undefined;
      const end = size === 0 ? bytes.length : Math.min(start + size, bytes.length);
      const frame = frameBytes(format);
      const whole = Math.floor((end - start) / frame) * frame;
      return { format, samples: bytes.subarray(start, start + whole) };
    }
    // Chunks are padded to even positions.
    at = start + size + (size % 2);
  }
  return undefined;
}

function readFormat(chunk: Buffer): WavFormat | undefined {
  const declared = chunk.readUInt16LE(0);
  const tag = declared === extensibleTag && chunk.length >= 26 ? chunk.readUInt16LE(24) : declared;
  const channels = chunk.readUInt16LE(2);
  const sampleRate = chunk.readUInt32LE(4);
  const bitsPerSample = chunk.readUInt16LE(14);
  const isSane = channels > 0 && sampleRate > 0 && bitsPerSample > 0 && bitsPerSample % 8 === 0;
  if (!isSane || (tag !== formatTags.integer && tag !== formatTags.float)) return undefined;
  return {
    encoding: tag === formatTags.float ? 'float' : 'integer',
    channels,
    sampleRate,
    bitsPerSample,
  };
}

/** Creates a WAV file from successive pieces of samples in this format. */
export function writeWav(format: WavFormat, pieces: readonly Buffer[]): Buffer {
  const { channels, sampleRate, bitsPerSample } = format;
  const size = pieces.reduce((sum, { length }) => sum + length, 0);
  const frame = frameBytes(format);
  const padding = size % 2;
  const header = Buffer.alloc(headerBytes);
  header.write('RIFF', 0, 'latin1');
  header.writeUInt32LE(headerBytes - 8 + size + padding, 4);
  header.write('WAVEfmt ', 8, 'latin1');
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(formatTags[format.encoding], 20);
  header.writeUInt16LE(channels, 22);
  header.writeUInt32LE(sampleRate, 24);
  header.writeUInt32LE(sampleRate * frame, 28);
  header.writeUInt16LE(frame, 32);
  header.writeUInt16LE(bitsPerSample, 34);
  header.write('data', 36, 'latin1');
  header.writeUInt32LE(size, 40);
  return Buffer.concat([header, ...pieces, Buffer.alloc(padding)]);
}

/** True if samples of both formats can be joined. */
export function isSameFormat(one: WavFormat, other: WavFormat): boolean {
  return describeFormat(one) === describeFormat(other);
}

/** Such as `24000 Hz, 1 channel, 16 bits (integer)`. */
export function describeFormat(format: WavFormat): string {
  const { sampleRate, channels, bitsPerSample, encoding } = format;
  const counted = channels === 1 ? '1 channel' : `${channels} channels`;
  return `${sampleRate} Hz, ${counted}, ${bitsPerSample} bits (${encoding})`;
}

export function durationSeconds({ format, samples }: WavAudio): number {
  return samples.length / frameBytes(format) / format.sampleRate;
}

/** Bytes of one sample of every channel. */
export function frameBytes({ channels, bitsPerSample }: WavFormat): number {
  return (channels * bitsPerSample) / 8;
}
