import { endianness } from 'node:os';
import { AudioError, sampleRate, tooLong, type AudioTrack } from './audio.ts';
import { Resampler } from './resampler.ts';
import { writeWav } from '../../kernel/wav.ts';

const blockSamples = 320;
const wavFormat = { encoding: 'integer', channels: 1, sampleRate, bitsPerSample: 16 } as const;
const rateLimits = { min: 4000, max: 384_000 };

/** Samples of one channel, in pieces. */
export interface PcmSource {
  readonly sampleRate: number;
  readonly pieces: Iterable<Float32Array>;
}

/**
 * Reads samples at 16,000 Hz.
 *
 * @throws AudioError if there are more seconds than allowed.
 */
export function pcmTrack(source: PcmSource, maxSeconds: number): AudioTrack {
  if (source.sampleRate < rateLimits.min || source.sampleRate > rateLimits.max) {
    throw new AudioError(
      `has ${source.sampleRate} samples a second; ${rateLimits.min} to ${rateLimits.max} are allowed`,
    );
  }
  const samples = readSamples(source, maxSeconds);
  const loudness = new Float32Array(Math.ceil(samples.length / blockSamples));
  for (let block = 0; block < loudness.length; block += 1) {
    let sum = 0;
    for (const sample of samples.subarray(block * blockSamples, (block + 1) * blockSamples))
      sum += sample ** 2;
    loudness[block] = sum;
  }
  return {
    mediaType: 'audio/wav',
    blockSeconds: blockSamples / sampleRate,
    loudness,
    encode: (first, end) => {
      const piece = samples.subarray(first * blockSamples, end * blockSamples);
      return writeWav(wavFormat, [littleEndian(piece)]);
    },
  };
}

function readSamples({ sampleRate: rate, pieces }: PcmSource, maxSeconds: number): Int16Array {
  const maxLength = maxSeconds * sampleRate;
  let samples = new Int16Array(sampleRate);
  let length = 0;
  const resampler = new Resampler(rate, (sample) => {
    if (length === samples.length) {
      if (length >= maxLength) throw tooLong(maxSeconds);
      const larger = new Int16Array(Math.min(maxLength, 2 * length));
      larger.set(samples);
      samples = larger;
    }
    samples[length] = Math.max(-32_768, Math.min(32_767, Math.round(sample * 32_768)));
    length += 1;
  });
  for (const piece of pieces) resampler.push(piece);
  resampler.end();
  return samples.subarray(0, length);
}

function littleEndian(samples: Int16Array): Buffer {
  const bytes = Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength);
  return endianness() === 'LE' ? bytes : Buffer.from(bytes).swap16();
}
