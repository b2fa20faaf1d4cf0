import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import OpenAI, { toFile } from 'openai';
import { expect, it } from 'vitest';
import { audioModel, placeAudioModel } from '../setup/models/audio-projector.ts';
import { tone } from '../setup/models/tone.ts';
import { listenOnLoopback } from '../setup/net/loopback-server.ts';
import { useHearth } from '../setup/server/use-hearth.ts';
import { useResource } from '../setup/use-resource.ts';

/** Forms that the speech server received, as text, with their paths. */
const forms: { path: string; form: string }[] = [];
const answers: Readonly<Record<string, readonly [string, readonly string[]]>> = {
  json: [
    'application/json',
    ['{"text":"Ships.","usage":{"type":"tokens","input_tokens":70,', '"output_tokens":3}}'],
  ],
  html: ['text/html', ['<script>']],
  srt: ['application/x-subrip', ['1\n00:00:00,000 --> 00:00:01,000\nShips.\n']],
  stream: [
    'text/event-stream',
    [
      'data: {"type":"transcript.text.delta","delta":"Ships."}\n\n',
      'data: {"type":"transcript.text.done","text":"Ships."}\n\n',
    ],
  ],
};

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const path = request.url ?? '';
  if (path === '/v1/models') {
    response.setHeader('Content-Type', 'application/json');
    response.end(JSON.stringify({ object: 'list', data: [{ id: 'whisper-1' }] }));
    return;
  }
  const form = await text(request);
  forms.push({ path, form });
  const [, wanted = 'json'] = /name="response_format"\r\n\r\n(\w+)/.exec(form) ?? [];
  const [type, pieces] = answers[form.includes('name="stream"') ? 'stream' : wanted] ?? ['', []];
  response.statusCode = type === '' ? 400 : 200;
  response.setHeader('Content-Type', type || 'application/json');
  for (const piece of pieces) response.write(piece);
  response.end(type === '' ? '{"error":{"message":"unknown response_format"}}' : undefined);
}

const speechServer = useResource(async () => {
  const { url, close } = await listenOnLoopback(
    createServer((request, response) => void answer(request, response)),
  );
  return { url: `${url}/v1`, close };
});
const hearth = useHearth(async (home) => {
  await placeAudioModel(home);
  const upstreams = { lab: { url: speechServer.url } };
  await writeFile(join(home, 'config.json'), JSON.stringify({ upstreams }));
});
const client = () => new OpenAI({ baseURL: `${hearth.url}/v1`, apiKey: 'none', maxRetries: 0 });
const wav = (seconds = 1) => toFile(tone(400, seconds), 'tone.wav');

it('has a model of this machine hear a file, in pieces of half a minute', async () => {
  const { audio } = client();
  const short = await audio.transcriptions.create({ model: audioModel, file: await wav() });
  expect(short.text).not.toBe('');
  expect(short.usage).toMatchObject({ type: 'tokens' });
  const long = await audio.transcriptions.create({ model: audioModel, file: await wav(31) });
  const tokens = [short, long].map(({ usage }) =>
    usage?.type === 'tokens' ? usage.input_tokens : 0,
  );
  expect(tokens[1]).toBe(2 * (tokens[0] ?? 0));
  const plain = await audio.translations.create({
    model: audioModel,
    file: await wav(),
    response_format: 'text',
  });
  expect(plain).toMatch(/\w.*\n$/);
});

it('streams the text of a model of this machine', async () => {
  const stream = await client().audio.transcriptions.create({
    model: audioModel,
    file: await wav(),
    stream: true,
  });
  let written = '';
  let done: unknown;
  for await (const event of stream) {
    if (event.type === 'transcript.text.delta') written += event.delta;
    else done = event;
  }
  expect(done).toMatchObject({ type: 'transcript.text.done', text: written.trimEnd() });
});

it('passes a file on to the server of a remote model, and its answer back', async () => {
  const { audio } = client();
  const shared = { model: 'lab/whisper-1', file: await wav(), language: 'en' };
  const json = await audio.transcriptions.create({
    ...shared,
    timestamp_granularities: ['word', 'segment'],
  });
  expect(json).toMatchObject({ text: 'Ships.', usage: { input_tokens: 70 } });
  const [sent] = forms.splice(0);
  expect(sent?.path).toBe('/v1/audio/transcriptions');
  expect(sent?.form).toMatch(/name="model"\r\n\r\nwhisper-1\r\n/);
  expect(sent?.form).toMatch(/name="language"\r\n\r\nen\r\n/);
  expect(sent?.form).toMatch(/name="timestamp_granularities\[\]"\r\n\r\nsegment\r\n/);
  expect(sent?.form).toMatch(/name="timestamp_granularities\[\]"\r\n\r\nword\r\n/);
  expect(sent?.form).toMatch(/name="file"; filename="tone\.wav"\r\n.*\r\n\r\nRIFF/);
  const srt = await audio.translations.create({ ...shared, response_format: 'srt' });
  expect(srt).toContain('00:00:00,000 --> 00:00:01,000');
  expect(forms.splice(0)[0]?.path).toBe('/v1/audio/translations');
  const page = { ...shared, response_format: 'html' as 'json' };
  const { response } = await audio.transcriptions.create(page).withResponse();
  expect(response.headers.get('content-type')).toBe('application/octet-stream');
  const stream = await audio.transcriptions.create({ ...shared, stream: true });
  const types: string[] = [];
  for await (const { type } of stream) types.push(type);
  expect(types).toEqual(['transcript.text.delta', 'transcript.text.done']);
});

it('says what it cannot do', async () => {
  const { audio } = client();
  const failure = async (changes: object) => {
    const body = { model: audioModel, file: await wav(), ...changes };
    return audio.transcriptions.create(body).catch((error: unknown) => error);
  };
  expect(await failure({ response_format: 'srt' })).toMatchObject({
    status: 400,
    code: 'invalid_value',
    param: 'response_format',
    message: expect.stringContaining('Allowed are "json" and "text"') as string,
  });
  expect(await failure({ model: 'hearth/starter-chat' })).toMatchObject({
    status: 400,
    code: 'audio_unsupported',
    message: expect.stringContaining("hearth/starter-chat can't hear audio") as string,
  });
  const ogg = await toFile(Buffer.from('OggS'), 'a.ogg');
  expect(await failure({ file: ogg })).toMatchObject({ code: 'invalid_audio', param: 'file' });
  expect(await failure({ temperature: 9 })).toMatchObject({ code: 'invalid_value' });
  expect(await failure({ model: 'lab/whisper-1', response_format: 'odd' })).toMatchObject({
    message: expect.stringContaining('unknown response_format') as string,
  });
  expect(await failure({ model: 'none' })).toMatchObject({ code: 'model_not_found' });
});
