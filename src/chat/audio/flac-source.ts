import { AudioError } from './audio.ts';
import { BitReader } from './bit-reader.ts';
import type { PcmSource } from './pcm-track.ts';

/** Properties that all frames of a file share. */
interface StreamInfo {
  readonly sampleRate: number;
  readonly channels: number;
  readonly bitsPerSample: number;
  /** Position of the first frame. */
  readonly framesStart: number;
}

interface FrameHeader {
  readonly blockSize: number;
  /** 0 to 7: independent channels; 8, 9 and 10: channel pairs that contain a difference. */
  readonly assignment: number;
  readonly bitsPerSample: number;
}

const syncCode = 0x3ffe;
const fixedCoefficients = [[], [1], [2, -1], [3, -3, 1], [4, -6, 4, -1]] as const;
const maxBitsPerSample = 24;
const sampleSizes: Readonly<Record<number, number>> = { 1: 8, 2: 12, 4: 16, 5: 20, 6: 24 };

/**
 * Decodes a FLAC file (RFC 9639) while it is read.
 *
 * @throws AudioError for a file that is damaged or has samples of more than 24 bits; errors may also be thrown while
 * reading.
 */
export function readFlacSource(bytes: Buffer): PcmSource {
  const info = orDamaged(() => readStreamInfo(bytes));
  return { sampleRate: info.sampleRate, pieces: readFrames(bytes, info) };
}

function readStreamInfo(bytes: Buffer): StreamInfo {
  let at = 4;
  let info: Omit<StreamInfo, 'framesStart'> | undefined;
  for (let isLast = false; !isLast;) {
    const reader = new BitReader(bytes, at);
    isLast = reader.unsigned(1) === 1;
    const type = reader.unsigned(7);
    const length = reader.unsigned(24);
    if (type === 0) {
      reader.unsigned(32);
      reader.unsigned(24);
      reader.unsigned(24);
      const sampleRate = reader.unsigned(20);
      const channels = reader.unsigned(3) + 1;
      info = { sampleRate, channels, bitsPerSample: reader.unsigned(5) + 1 };
    }
    at += 4 + length;
  }
  if (info === undefined) throw new RangeError('no stream information');
  if (info.bitsPerSample > maxBitsPerSample) {
    throw new AudioError(
      `is a FLAC file with ${info.bitsPerSample} bits in a sample; at most ${maxBitsPerSample} are supported`,
    );
  }
  return { ...info, framesStart: at };
}

function* readFrames(bytes: Buffer, info: StreamInfo): Generator<Float32Array> {
  let at = info.framesStart;
  while (at < bytes.length) {
    const reader = new BitReader(bytes, at);
    yield orDamaged(() => readFrame(reader, info));
    at = reader.position;
  }
}

/** Decodes a frame to the mean of its channels, from -1 to 1. */
function readFrame(reader: BitReader, info: StreamInfo): Float32Array {
  const { blockSize, assignment, bitsPerSample } = readHeader(reader, info);
  const count = assignment < 8 ? assignment + 1 : 2;
  const channels = Array.from({ length: count }, (_, channel) => {
    const isDifference = assignment === 9 ? channel === 0 : assignment >= 8 && channel === 1;
    return readSubframe(reader, blockSize, bitsPerSample + Number(isDifference));
  });
  reader.skipToByte();
  // Skips the frame's checksum.
  reader.unsigned(16);
  const mean = new Float32Array(blockSize);
  const full = 2 ** (bitsPerSample - 1);
  const [first = mean, second = first] = channels;
  for (let index = 0; index < blockSize; index += 1) {
    const one = first[index] ?? 0;
    const other = second[index] ?? 0;
    mean[index] =
      assignment < 8 ? meanOf(channels, index) / full : middle(assignment, one, other) / full;
  }
  return mean;
}

function meanOf(channels: readonly Float64Array[], index: number): number {
  let sum = 0;
  for (const channel of channels) sum += channel[index] ?? 0;
  return sum / channels.length;
}

/**
 * The mean of left and right. The pair is left and difference (8), difference and right (9), or mean and difference
 * (10).
 */
function middle(assignment: number, one: number, other: number): number {
  if (assignment === 8) return one - other / 2;
  return assignment === 9 ? other + one / 2 : one;
}

function readHeader(reader: BitReader, info: StreamInfo): FrameHeader {
  if (reader.unsigned(14) !== syncCode) throw new RangeError('no frame');
  reader.unsigned(2);
  const sizeCode = reader.unsigned(4);
  const rateCode = reader.unsigned(4);
  const assignment = reader.unsigned(4);
  const sampleSize = reader.unsigned(3);
  reader.unsigned(1);
  skipNumber(reader);
  const blockSize = readBlockSize(reader, sizeCode);
  if (rateCode === 12) reader.unsigned(8);
  if (rateCode === 13 || rateCode === 14) reader.unsigned(16);
  // Skips the header's checksum.
  reader.unsigned(8);
  const bitsPerSample = sampleSize === 0 ? info.bitsPerSample : sampleSizes[sampleSize];
  if (assignment > 10 || bitsPerSample === undefined) throw new RangeError('a reserved value');
  return { blockSize, assignment, bitsPerSample };
}

/** Skips the number of the frame, which is encoded like UTF-8. */
function skipNumber(reader: BitReader): void {
  const ones = Math.clz32(~(reader.unsigned(8) << 24));
  for (let byte = 1; byte < ones; byte += 1) reader.unsigned(8);
}

function readBlockSize(reader: BitReader, code: number): number {
  if (code === 0) throw new RangeError('a reserved value');
  if (code === 1) return 192;
  if (code <= 5) return 576 << (code - 2);
  if (code === 6) return reader.unsigned(8) + 1;
  return code === 7 ? reader.unsigned(16) + 1 : 256 << (code - 8);
}

function readSubframe(reader: BitReader, blockSize: number, bits: number): Float64Array {
  reader.unsigned(1);
  const type = reader.unsigned(6);
  const wasted = reader.unsigned(1) === 1 ? reader.unary() + 1 : 0;
  if (wasted >= bits) throw new RangeError('no bits');
  const samples = new Float64Array(blockSize);
  const used = bits - wasted;
  if (type === 0) samples.fill(reader.signed(used));
  else if (type === 1) readSamples(reader, samples, blockSize, used);
  else readPredicted(reader, samples, type, used);
  return wasted === 0 ? samples : samples.map((sample) => sample * 2 ** wasted);
}

function readSamples(reader: BitReader, samples: Float64Array, count: number, bits: number): void {
  for (let index = 0; index < count; index += 1) samples[index] = reader.signed(bits);
}

function readPredicted(reader: BitReader, samples: Float64Array, type: number, bits: number): void {
  const isLinear = type >= 32;
  const order = isLinear ? type - 31 : type - 8;
  const fixed = fixedCoefficients[order];
  if (order > samples.length || (!isLinear && (type < 8 || fixed === undefined)))
    throw new RangeError('a reserved value');
  readSamples(reader, samples, order, bits);
  let coefficients: readonly number[] = fixed ?? [];
  let shift = 0;
  if (isLinear) {
    const precision = reader.unsigned(4) + 1;
    shift = reader.signed(5);
    if (precision > 15 || shift < 0) throw new RangeError('a reserved value');
    coefficients = Array.from({ length: order }, () => reader.signed(precision));
  }
  readResiduals(reader, samples, order);
  const divisor = 2 ** shift;
  for (let index = order; index < samples.length; index += 1) {
    let sum = 0;
    for (let back = 0; back < order; back += 1)
      sum += (coefficients[back] ?? 0) * (samples[index - 1 - back] ?? 0);
    samples[index] = (samples[index] ?? 0) + Math.floor(sum / divisor);
  }
}

/** Reads Rice-coded residuals, in partitions with one parameter each. */
function readResiduals(reader: BitReader, samples: Float64Array, order: number): void {
  const method = reader.unsigned(2);
  if (method > 1) throw new RangeError('a reserved value');
  const parameterBits = 4 + method;
  const escape = 2 ** parameterBits - 1;
  const partitions = 2 ** reader.unsigned(4);
  const length = samples.length / partitions;
  if (!Number.isInteger(length) || length < order) throw new RangeError('bad partitions');
  for (let partition = 0; partition < partitions; partition += 1) {
    const parameter = reader.unsigned(parameterBits);
    const plainBits = parameter === escape ? reader.unsigned(5) : undefined;
    const start = partition === 0 ? order : partition * length;
    for (let index = start; index < (partition + 1) * length; index += 1) {
      if (plainBits !== undefined) samples[index] = reader.signed(plainBits);
      else {
        const folded = reader.unary() * 2 ** parameter + reader.unsigned(parameter);
        samples[index] = folded % 2 === 0 ? folded / 2 : -(folded + 1) / 2;
      }
    }
  }
}

function orDamaged<Result>(read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new AudioError('is a FLAC file that is damaged', { cause: error });
  }
}
