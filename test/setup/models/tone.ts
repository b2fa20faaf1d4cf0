import { writeWav } from '../../../src/kernel/wav.ts';

/** A WAV file with a tone, sampled at 22,050 Hz. */
export function tone(frequency: number, seconds = 1): Buffer {
  const format = {
    encoding: 'integer',
    channels: 1,
    sampleRate: 22_050,
    bitsPerSample: 16,
  } as const;
  const samples = Buffer.alloc(2 * seconds * format.sampleRate);
  for (let index = 0; index < samples.length / 2; index += 1) {
    const angle = (2 * Math.PI * frequency * index) / format.sampleRate;
    samples.writeInt16LE(Math.round(9000 * Math.sin(angle)), 2 * index);
  }
  return writeWav(format, [samples]);
}
