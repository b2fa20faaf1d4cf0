import { spawnSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import OpenAI from 'openai';
import { describe, expect, it, vi } from 'vitest';
import { durationSeconds, readWav } from '../../src/kernel/wav.ts';
import { runHearth } from '../setup/cli/run-hearth.ts';
import { get, post, postRaw, stream } from '../setup/server/api.ts';
import { openHearth, useHearth } from '../setup/server/use-hearth.ts';
import { expectError } from '../setup/server/expect-error.ts';
import { speakWithEspeak, startSpeechServer } from '../setup/speech/speech-server.ts';
import { useResource } from '../setup/use-resource.ts';

const server = useResource(() => startSpeechServer());
const hearth = useHearth(async (home) => {
  await writeFile(join(home, 'voice.key'), 'secret\n');
  return { flags: [upstream(server.url, { keyFile: 'voice.key' })] };
});
const upstream = (url: string, more: object = {}) =>
  `--upstreams=${JSON.stringify({ voice: { url: `${url}/v1`, speech: 'kokoro', ...more } })}`;

const dialogue = 'Speaker 1: One. 😀\nSpeaker 2: Two.\nSpeaker 1: Three.';
const speak = (body: object) => postRaw(hearth.url, '/api/v1/speech', JSON.stringify(body));
const received = () => server.requests.map(({ body }) => JSON.parse(body) as object);

// covers script-13
it('speaks a script as one WAV file, with the voices and emotions of the speakers', async () => {
  const voices = ['ada', 'bob'];
  const emotions = ['calm', 'excited'];
  const answer = await speak({ text: dialogue, speakers: 2, voices, emotions, speed: 1.25 });
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'audio/wav']);
  const file = Buffer.from(await answer.arrayBuffer());
  expect(String(readWav(file)?.samples)).toBe('One.Two.Three.');
  const common = { model: 'kokoro', response_format: 'wav', speed: 1.25 };
  expect(received().slice(-3)).toEqual([
    { input: 'One.', voice: 'ada', instructions: 'Tone: calm.', ...common },
    { input: 'Two.', voice: 'bob', instructions: 'Tone: excited.', ...common },
    { input: 'Three.', voice: 'ada', instructions: 'Tone: calm.', ...common },
  ]);
  expect(server.requests.at(-1)?.headers['authorization']).toBe('Bearer secret');
});

// covers script-13
it('streams the parts in their order', async () => {
  const events = await stream(hearth.url, '/api/v1/speech', { text: dialogue });
  const values = events.map(({ data }) => JSON.parse(data));
  expect(values.map(({ type, index, speaker }) => [type, index, speaker])).toEqual([
    ['speech.part', 0, 1],
    ['speech.part', 1, 2],
    ['speech.part', 2, 1],
    ['speech.end', undefined, undefined],
  ]);
  const samples = values
    .slice(0, 3)
    .map(({ audio }) => String(readWav(Buffer.from(audio, 'base64'))?.samples));
  expect(samples).toEqual(['One.', 'Two.', 'Three.']);
  expect(values[3].duration_seconds).toBeCloseTo(14 / 8000);
});

// covers script-14
it('names the part and speaker of a failure, before and after the first part', async () => {
  const absent = { text: dialogue, speakers: 2, voices: ['ada', 'absent'] };
  const message =
    'Part 2 of 3 (speaker 2, voice "absent"): "voice" refuses the request: There is no voice "absent".';
  const whole = await post(hearth.url, '/api/v1/speech', absent);
  expectError(whole, { code: 'invalid_value', message });
  const events = await stream(hearth.url, '/api/v1/speech', absent);
  expect(events.map(({ event }) => event)).toEqual(['speech.part', 'error']);
  expect(JSON.parse(events[1]?.data ?? '').error).toMatchObject({ code: 'invalid_value', message });

  const mixed = { text: 'Speaker 1: One.\nSpeaker 2: Spoken faster.' };
  expectError(await post(hearth.url, '/api/v1/speech', mixed), {
    code: 'upstream_error',
    message: /^Part 2 of 2 .*cannot be joined: it has 16000 Hz/,
  });
});

// covers script-14
it('bounds the text, and ends the work for a client that leaves', async () => {
  const long = await post(hearth.url, '/api/v1/speech', { text: 'a'.repeat(100_001) });
  expectError(long, { code: 'invalid_value', message: /100000/, param: 'text' });
  const leaving = new AbortController();
  const running = postRaw(
    hearth.url,
    '/api/v1/speech',
    JSON.stringify({ text: 'An endless one.' }),
    {
      signal: leaving.signal,
    },
  );
  await vi.waitFor(() =>
    expect(received()).toContainEqual(expect.objectContaining({ input: 'An endless one.' })),
  );
  leaving.abort();
  await expect(running).rejects.toThrow(/abort/);
  await vi.waitFor(async () => {
    const { body } = await get(hearth.url, '/api/v1/requests?state=running');
    expect(body).not.toHaveProperty('requests[0]');
  });
});

// covers script-15
it('passes requests of OpenAI on, with all fields', async () => {
  const client = new OpenAI({ baseURL: `${hearth.url}/v1`, apiKey: 'none' });
  const audio = await client.audio.speech.create({
    model: 'tts-1',
    input: 'Hello!',
    voice: 'alloy',
    instructions: 'Cheerful.',
    response_format: 'mp3',
  });
  expect(audio.headers.get('content-type')).toBe('audio/mpeg');
  expect(await audio.text()).toBe('mp3 audio');
  expect(received().at(-1)).toEqual({
    model: 'tts-1',
    input: 'Hello!',
    voice: 'alloy',
    instructions: 'Cheerful.',
    response_format: 'mp3',
  });
  const refused = client.audio.speech.create({ model: 'tts-1', input: 'Hello!', voice: 'absent' });
  await expect(refused).rejects.toMatchObject({ status: 400, code: 'invalid_value' });
});

// covers script-16
it('writes the file with `hearth speak`', async () => {
  const file = join(hearth.home, 'dialogue.wav');
  const commandLine = ['speak', '--voices', 'ada,bob', '--speakers', '2', '--out', file];
  const done = await runHearth(commandLine, { home: hearth.home, stdin: dialogue });
  expect(done).toMatchObject({ exitCode: 0, stdout: `Wrote ${file} (2 ms, 58 B)\n` });
  expect(String(readWav(await readFile(file))?.samples)).toBe('One.Two.Three.');
  const failed = await runHearth(['speak', '--voice', 'absent', '--out', file], {
    home: hearth.home,
    stdin: 'One.',
  });
  expect(failed).toMatchObject({ exitCode: 1, stdout: '' });
  expect(failed.stderr).toMatch(/Part 1 of 1 \(speaker 1, voice "absent"\): .*no voice/);
});

// covers script-13
it('says what to set if there is no text-to-speech server', async () => {
  const bare = await openHearth();
  const serverOf = async (url: string) => (await get(url, '/api/v1/speech')).body;
  expect(await serverOf(bare.url)).toEqual({ upstream: null, model: null });
  expect(await serverOf(hearth.url)).toEqual({ upstream: 'voice', model: 'kokoro' });
  for (const [path, body] of [
    ['/api/v1/speech', { text: 'Hello!' }],
    ['/v1/audio/speech', { input: 'Hello!', voice: 'alloy' }],
  ] as const) {
    const answer = await post(bare.url, path, body);
    expect(answer).toMatchObject({ status: 404, body: { error: { code: 'not_found' } } });
    expect(answer.body.error.message).toContain('`upstreams`');
  }
});

const hasEspeak = spawnSync('espeak-ng', ['--version']).status === 0;
describe.runIf(hasEspeak)('with espeak-ng', () => {
  const espeak = useResource(() => startSpeechServer(speakWithEspeak));
  const own = useHearth(() => ({ flags: [upstream(espeak.url)] }));

  // covers script-13
  it('joins the speech of two voices exactly', async () => {
    const text = 'Speaker 1: The sea is calm.\nSpeaker 2: The sky is blue.';
    const whole = await postRaw(own.url, '/api/v1/speech', JSON.stringify({ text }));
    const joined = readWav(Buffer.from(await whole.arrayBuffer()));
    const turns = [
      { input: 'The sea is calm.', voice: 'alloy', model: 'kokoro' },
      { input: 'The sky is blue.', voice: 'echo', model: 'kokoro' },
    ];
    const parts = await Promise.all(
      turns.map(async (turn) => readWav(await speakWithEspeak(turn))),
    );
    expect(joined?.format).toEqual(parts[0]?.format);
    const samples = Buffer.concat(parts.map((part) => part?.samples ?? Buffer.alloc(0)));
    expect(joined?.samples.equals(samples)).toBe(true);
    expect(joined && durationSeconds(joined)).toBeGreaterThan(1);
  });
});
