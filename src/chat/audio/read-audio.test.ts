import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { AudioError } from './audio.ts';
import { readAudio } from './read-audio.ts';
import { splitTrack } from './split-track.ts';
import { durationSeconds, readWav, writeWav, type WavFormat } from '../../kernel/wav.ts';

const maxSeconds = 60;
const format: WavFormat = {
  encoding: 'integer',
  channels: 1,
  sampleRate: 48_000,
  bitsPerSample: 16,
};

/** Creates a WAV file with one channel. */
function wavOf(seconds: number, sample: (time: number) => number, sampleRate = 48_000): Buffer {
  const samples = Buffer.alloc(Math.round(seconds * sampleRate) * 2);
  for (let index = 0; index < samples.length / 2; index += 1)
    samples.writeInt16LE(Math.round(sample(index / sampleRate)), index * 2);
  return writeWav({ ...format, sampleRate }, [samples]);
}

function tone(frequency: number, amplitude = 10_000): (time: number) => number {
  return (time) => amplitude * Math.sin(2 * Math.PI * frequency * time);
}

function samplesOf(file: Buffer | undefined): Int16Array {
  const samples = readWav(file ?? Buffer.alloc(0))?.samples ?? Buffer.alloc(0);
  return Int16Array.from({ length: samples.length / 2 }, (_, index) =>
    samples.readInt16LE(index * 2),
  );
}

function readSamples(file: Buffer): Int16Array {
  const track = readAudio(file, maxSeconds);
  return samplesOf(track.encode(0, track.loudness.length));
}

/** Root mean square of the samples, without the ends. */
function level(samples: Int16Array): number {
  const inner = samples.subarray(200, -200);
  return Math.sqrt(inner.reduce((sum, sample) => sum + sample ** 2, 0) / inner.length);
}

function fixture(name: string): Promise<Buffer> {
  return readFile(`test/fixtures/audio/${name}`);
}

it('changes the rate of a WAV file, without sounds that the new rate cannot hold', () => {
  const heard = readSamples(wavOf(0.5, tone(1000)));
  expect(heard).toHaveLength(8000);
  for (let index = 200; index < 300; index += 1) {
    expect(Math.abs((heard[index] ?? 0) - tone(1000)(index / 16_000))).toBeLessThan(100);
  }
  expect(level(readSamples(wavOf(0.5, tone(12_000))))).toBeLessThan(60);
  expect(level(readSamples(wavOf(0.5, tone(1000), 8000)))).toBeCloseTo(level(heard), -2);
  const same = wavOf(0.1, tone(300), 16_000);
  expect(readSamples(same)).toEqual(samplesOf(same));
});

it.each([
  ['integer', 8, Buffer.from([255, 128])],
  ['integer', 24, Buffer.from([0, 0, 127, 0, 0, 0])],
  ['integer', 32, Buffer.from([0, 0, 0, 127, 0, 0, 0, 0])],
  ['float', 32, Buffer.from(new Float32Array([1, 0]).buffer)],
  ['float', 64, Buffer.from(new Float64Array([1, Number.NaN]).buffer)],
] as const)('mixes channels of %s numbers with %i bits', (encoding, bitsPerSample, frame) => {
  const stereo = { encoding, bitsPerSample, channels: 2, sampleRate: 16_000 } as const;
  const [mixed = 0] = readSamples(writeWav(stereo, [frame]));
  expect(Math.abs(mixed - 16_384)).toBeLessThan(140);
});

it('decodes FLAC with linear prediction and joined channels', async () => {
  // The file was made with `flac -8` from a WAV file of 6,000 samples at 12,000 Hz, whose values are expected here.
  const samples = readSamples(await fixture('tones.flac'));
  expect(samples).toHaveLength(8000);
  const at = (index: number) => samples[index * 4] ?? 0;
  // From 12,000 to 16,000 Hz, every third sample of the file becomes every fourth of the result.
  expect(Math.abs(at(1000) - -9.5)).toBeLessThan(60);
  expect(level(samples)).toBeGreaterThan(3500);
});

it('takes the frames of an MP3 file, without its tags, and finds the pause', async () => {
  const bytes = await fixture('pause.mp3');
  const track = readAudio(bytes, maxSeconds);
  expect(track.mediaType).toBe('audio/mpeg');
  expect(track.blockSeconds * track.loudness.length).toBeCloseTo(1.55, 1);
  const [first, second, ...others] = splitTrack(track, 1.2);
  expect(others).toEqual([]);
  // The pause is from 0.6 to 0.9 s. The first piece ends in the last third of the pause, after 0.8 s.
  const seconds = readAudio(first ?? bytes, maxSeconds);
  expect(seconds.blockSeconds * seconds.loudness.length).toBeGreaterThan(0.79);
  expect(seconds.blockSeconds * seconds.loudness.length).toBeLessThan(1);
  expect(Buffer.concat([first ?? bytes, second ?? bytes]).includes('Pause')).toBe(false);
});

it('cuts a long file in its pauses, and loses nothing', () => {
  const speech = wavOf(7, (time) => (time % 2.5 > 2.2 ? 0 : tone(400)(time)), 16_000);
  const pieces = splitTrack(readAudio(speech, maxSeconds), 3);
  expect(pieces.map((piece) => durationSeconds(readWav(piece) ?? fail()))).toEqual([
    expect.closeTo(2.35, 1),
    expect.closeTo(2.5, 1),
    expect.closeTo(2.15, 1),
  ]);
  expect(pieces.flatMap((piece) => [...samplesOf(piece)])).toEqual([...samplesOf(speech)]);
});

function fail(): never {
  throw new Error('no WAV file');
}

it.each([
  ['no audio', Buffer.from('hello'), 'no format that is known; wav, mp3 and flac are supported'],
  ['Ogg', Buffer.from('OggS'), 'is Ogg; wav'],
  ['WebM', Buffer.from('1a45dfa301', 'hex'), 'is WebM; wav'],
  ['MP4', Buffer.from('    ftypM4A '), 'is MP4; wav'],
  ['a compressed WAV', Buffer.from('RIFF    WAVEfmt '), 'damaged or compressed'],
  ['an empty WAV', writeWav(format, []), 'has no sound'],
  ['40 bits', writeWav({ ...format, bitsPerSample: 40 }, [Buffer.alloc(10)]), '40 bits'],
  ['a low rate', writeWav({ ...format, sampleRate: 1 }, [Buffer.alloc(10)]), '1 samples a second'],
  ['an MP3 without frames', Buffer.from('ID3 and nothing else'), 'no frames of MP3'],
  ['a FLAC without frames', Buffer.from('fLaC'), 'FLAC file that is damaged'],
  ['a long file', wavOf(61, () => 0, 8000), 'is longer than 60 s'],
])('refuses %s', (_, bytes, message) => {
  const read = () => readAudio(bytes, maxSeconds);
  expect(read).toThrow(AudioError);
  expect(read).toThrow(message);
});

it('refuses a damaged FLAC, and only with its own error', async () => {
  const bytes = await fixture('tones.flac');
  expect(() => readAudio(bytes.subarray(0, -100), maxSeconds)).toThrow('damaged');
  for (let at = 0; at < bytes.length; at += 101) {
    const damaged = Buffer.from(bytes);
    damaged[at] = (damaged[at] ?? 0) ^ 0x5a;
    expect(failureOf(() => readAudio(damaged, maxSeconds))).not.toBe('another error');
  }
});

function failureOf(read: () => unknown): string {
  try {
    read();
    return 'none';
  } catch (error) {
    return error instanceof AudioError ? 'refused' : 'another error';
  }
}
