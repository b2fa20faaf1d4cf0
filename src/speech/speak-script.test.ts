import { getEventListeners } from 'node:events';
import { describe, expect, it, vi } from 'vitest';
import { Semaphore } from '../kernel/concurrency/semaphore.ts';
import { HearthError } from '../kernel/errors/errors.ts';
import { writeWav, type WavFormat } from '../kernel/wav.ts';
import {
  speakScript,
  type PartRequest,
  type SpeakOptions,
  type SpokenPart,
  type Synthesizer,
} from './speak-script.ts';

const format = { encoding: 'integer', channels: 1, sampleRate: 8000, bitsPerSample: 8 } as const;
const { signal } = new AbortController();

/** A server whose audio is the bytes of the text; `answer` may fail, wait, or return another format. */
function createServer(
  answer: (request: PartRequest, signal: AbortSignal) => Promise<Buffer | void> = async () => {},
  maxConcurrent = 64,
) {
  const requests: PartRequest[] = [];
  let running = 0;
  let mostRunning = 0;
  const server: Synthesizer = {
    maxConcurrent,
    partSlots: new Semaphore(maxConcurrent),
    speak: async (request, ended) => {
      requests.push(request);
      running += 1;
      mostRunning = Math.max(mostRunning, running);
      return (async function* () {
        try {
          yield (await answer(request, ended)) ?? audioOf(request.input);
        } finally {
          running -= 1;
        }
      })();
    },
  };
  return { server, requests, mostRunning: () => mostRunning, running: () => running };
}

const audioOf = (text: string, changed: Partial<WavFormat> = {}) =>
  writeWav({ ...format, ...changed }, [Buffer.from(text)]);

async function speak(
  server: Synthesizer,
  script: SpeakOptions['script'],
  ended = signal,
): Promise<SpokenPart[]> {
  const parts: SpokenPart[] = [];
  const options = { script, model: undefined, speed: 1.5 };
  for await (const part of speakScript(server, options, ended)) parts.push(part);
  return parts;
}

const dialogue = 'Speaker 1: One.\nSpeaker 2: Two.\nSpeaker 1: Three.\nSpeaker 3: Four.';

it('speaks each turn with the voice and emotion of its speaker', async () => {
  const { server, requests } = createServer();
  const script = {
    text: dialogue,
    speakers: 3,
    voices: ['ada', 'bob'],
    emotions: ['neutral', 'sad'],
  };
  const parts = await speak(server, script as SpeakOptions['script']);
  expect(parts.map(({ audio }) => String(audio.samples))).toEqual([
    'One.',
    'Two.',
    'Three.',
    'Four.',
  ]);
  const common = { response_format: 'wav', speed: 1.5 };
  expect(requests).toEqual([
    { input: 'One.', voice: 'ada', ...common },
    { input: 'Two.', voice: 'bob', instructions: 'Tone: sad.', ...common },
    { input: 'Three.', voice: 'ada', ...common },
    { input: 'Four.', voice: 'fable', ...common },
  ]);
});

it('speaks with the default voice where a speaker has an empty name of a voice', async () => {
  const { server, requests } = createServer();
  await speak(server, {
    text: 'Speaker 1: One.\nSpeaker 2: Two.',
    speakers: 2,
    voices: ['', 'bob'],
  });
  expect(requests.map(({ voice }) => voice)).toEqual(['alloy', 'bob']);
});

it('keeps the order of the parts, two of which are spoken at a time', async () => {
  let release = () => {};
  const first = new Promise<void>((resolve) => (release = resolve));
  const { server, mostRunning, requests } = createServer(async ({ input }) => {
    if (input === 'One.') await first;
  });
  const spoken = speak(server, { text: dialogue });
  await vi.waitFor(() => expect(requests).toHaveLength(2));
  release();
  expect((await spoken).map(({ text }) => text)).toEqual(['One.', 'Two.', 'Three.', 'Four.']);
  expect(mostRunning()).toBe(2);
});

it('speaks as many parts of all scripts at a time as the server takes', async () => {
  let release = () => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  const answer = (_: PartRequest, ended: AbortSignal) =>
    new Promise<void>((resolve, reject) => {
      void released.then(resolve);
      ended.addEventListener('abort', () => reject(ended.reason));
    });
  const { server, mostRunning, running } = createServer(answer, 3);
  const leaving = new AbortController();
  const left = speak(server, { text: dialogue }, leaving.signal);
  const spoken = [speak(server, { text: dialogue }), speak(server, { text: dialogue })];
  await vi.waitFor(() => expect(running()).toBe(3));
  leaving.abort(new Error('client left'));
  await expect(left).rejects.toThrow('client left');
  release();
  for (const parts of await Promise.all(spoken)) expect(parts).toHaveLength(4);
  expect(mostRunning()).toBe(3);
});

it('splits long turns', async () => {
  const { server } = createServer();
  const parts = await speak(server, { text: 'The sea is calm. '.repeat(200) });
  expect(parts.map(({ index }) => index)).toEqual([0, 1, 2, 3]);
  expect(parts.every(({ count, speaker }) => count === 4 && speaker === 1)).toBe(true);
});

describe('a failure', () => {
  it('names the part and its speaker, and ends the others', async () => {
    const { server, requests, running } = createServer(async ({ input }, ended) => {
      if (input === 'Two.') throw new HearthError('invalid_value', 'No voice "x".');
      if (input !== 'Three.') return;
      await new Promise((_, reject) =>
        ended.addEventListener('abort', () => reject(new Error('ended'))),
      );
    });
    await expect(speak(server, { text: dialogue })).rejects.toMatchObject({
      code: 'invalid_value',
      message: 'Part 2 of 4 (speaker 2, voice "echo"): No voice "x".',
    });
    await vi.waitFor(() => expect(running()).toBe(0));
    expect(requests).toHaveLength(3);
  });

  it('is audio that cannot be joined', async () => {
    const compressed = createServer(async () => Buffer.from('ID3 no WAV file'));
    await expect(speak(compressed.server, { text: 'Hello.' })).rejects.toMatchObject({
      code: 'upstream_error',
      message: expect.stringMatching(/^Part 1 of 1 .*sent no WAV file/),
    });
    const changing = createServer(async ({ input }) =>
      audioOf(input, input === 'Two.' ? { sampleRate: 16_000 } : {}),
    );
    await expect(speak(changing.server, { text: dialogue })).rejects.toThrow(
      /^Part 2 of 4 .*: its audio cannot be joined: it has 16000 Hz, .* and the first part 8000 Hz/,
    );
  });

  it('is the abort of its client', async () => {
    const stopping = new AbortController();
    const { server } = createServer(async (_, ended) => {
      stopping.abort(new Error('client left'));
      ended.throwIfAborted();
    });
    await expect(speak(server, { text: dialogue }, stopping.signal)).rejects.toThrow('client left');
  });

  it('is a text with nothing to say', async () => {
    const { server, requests } = createServer();
    const { signal: own } = new AbortController();
    await expect(speak(server, { text: '😀' }, own)).rejects.toMatchObject({
      code: 'invalid_value',
    });
    expect(requests).toEqual([]);
    expect(getEventListeners(own, 'abort')).toEqual([]);
  });
});
