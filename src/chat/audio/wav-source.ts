import { AudioError } from './audio.ts';
import type { PcmSource } from './pcm-track.ts';
import { frameBytes, readWav, type WavAudio } from '../../kernel/wav.ts';

const pieceFrames = 16_384;
const maxChannels = 32;

/** @throws AudioError for a damaged or compressed WAV file. */
export function readWavSource(bytes: Buffer): PcmSource {
  const audio = readWav(bytes);
  if (audio === undefined) throw new AudioError('is a WAV file that is damaged or compressed');
  const { channels, encoding, bitsPerSample, sampleRate } = audio.format;
  const read = readers[`${encoding}${bitsPerSample}`];
  if (read === undefined || channels > maxChannels) {
    throw new AudioError(
      `is a WAV file with ${channels} channels of ${bitsPerSample} bits (${encoding}), which is not supported`,
    );
  }
  return { sampleRate, pieces: piecesOf(audio, read) };
}

type ReadSample = (samples: Buffer, at: number) => number;

const readers: Readonly<Record<string, ReadSample>> = {
  integer8: (samples, at) => (samples.readUInt8(at) - 128) / 2 ** 7,
  integer16: (samples, at) => samples.readInt16LE(at) / 2 ** 15,
  integer24: (samples, at) => samples.readIntLE(at, 3) / 2 ** 23,
  integer32: (samples, at) => samples.readInt32LE(at) / 2 ** 31,
  float32: (samples, at) => finite(samples.readFloatLE(at)),
  float64: (samples, at) => finite(samples.readDoubleLE(at)),
};

function finite(sample: number): number {
  return Number.isFinite(sample) ? sample : 0;
}

/** The mean of all channels. */
function* piecesOf({ format, samples }: WavAudio, read: ReadSample): Generator<Float32Array> {
  const { channels, bitsPerSample } = format;
  const sampleBytes = bitsPerSample / 8;
  const frameSize = frameBytes(format);
  const frames = samples.length / frameSize;
  for (let start = 0; start < frames; start += pieceFrames) {
    const piece = new Float32Array(Math.min(pieceFrames, frames - start));
    for (let index = 0; index < piece.length; index += 1) {
      let sum = 0;
      const frame = (start + index) * frameSize;
      for (let channel = 0; channel < channels; channel += 1)
        sum += read(samples, frame + channel * sampleBytes);
      piece[index] = sum / channels;
    }
    yield piece;
  }
}
