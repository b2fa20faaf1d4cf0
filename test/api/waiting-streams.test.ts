import { describe, expect, it, onTestFinished } from 'vitest';
import { post, postRaw } from '../setup/server/api.ts';
import { useHearth } from '../setup/server/use-hearth.ts';
import { endlessModel, placeEndlessModel } from '../setup/models/endless-model.ts';

/** One slot, which an endless answer occupies for at least a minute. */
const hearth = useHearth(async (home) => {
  await placeEndlessModel(home);
  return { flags: ['--engine-parallel=1', '--engine-context-length=65536'] };
});

const model = endlessModel;
const messages = [{ role: 'user', content: 'Hello!' }];

const streams = [
  {
    path: '/api/v1/chat',
    body: { input: 'Hello!', store: false, max_output_tokens: 4 },
    signOfLife: ': ping\n\n',
    error: 'event: error\n',
    end: 'event: chat.end\n',
  },
  {
    path: '/api/v0/chat/completions',
    body: { messages, max_tokens: 4 },
    signOfLife: ': ping\n\n',
    error: 'data: {"error":',
    end: 'data: [DONE]\n',
  },
  {
    path: '/api/v0/completions',
    body: { prompt: 'Hello', max_tokens: 4 },
    signOfLife: ': ping\n\n',
    error: 'data: {"error":',
    end: 'data: [DONE]\n',
  },
  {
    path: '/v1/chat/completions',
    body: { messages, max_tokens: 4 },
    signOfLife: ': ping\n\n',
    error: 'data: {"error":',
    end: 'data: [DONE]\n',
  },
  {
    path: '/v1/completions',
    body: { prompt: 'Hello', max_tokens: 4 },
    signOfLife: ': ping\n\n',
    error: 'data: {"error":',
    end: 'data: [DONE]\n',
  },
  {
    path: '/v1/responses',
    body: { input: 'Hello!', store: false, max_output_tokens: 4 },
    signOfLife: ': ping\n\n',
    error: 'event: response.failed\n',
    end: 'event: response.incomplete\n',
  },
  {
    path: '/v1/messages',
    body: { messages, max_tokens: 4 },
    signOfLife: 'event: ping\n',
    error: 'event: error\n',
    end: 'event: message_stop\n',
  },
  {
    path: '/api/chat',
    body: { messages, options: { num_predict: 4 } },
    signOfLife: '"message":{"role":"assistant","content":""},"done":false}\n',
    error: '{"error":',
    end: '"done":true',
  },
  {
    path: '/api/generate',
    body: { prompt: 'Hello', options: { num_predict: 4 } },
    signOfLife: '"response":"","done":false}\n',
    error: '{"error":',
    end: '"done":true',
  },
] as const;

type Reader = ReadableStreamDefaultReader<Uint8Array>;

/** Reads a stream up to a text, or to its end. */
async function readTo(reader: Reader, part?: string): Promise<string> {
  let text = '';
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    text += Buffer.from(next.value).toString();
    if (part !== undefined && text.includes(part)) break;
  }
  return text;
}

/** Starts an answer that occupies the slot until it is aborted. */
async function holdSlot() {
  const abort = new AbortController();
  onTestFinished(() => abort.abort());
  const body = JSON.stringify({ model, input: 'Count!', stream: true, store: false });
  const { signal } = abort;
  const { body: stream } = await postRaw(hearth.url, '/api/v1/chat', body, { signal });
  const reader = stream?.getReader();
  if (reader === undefined) throw new Error('The answer has no body');
  await readTo(reader, 'message.delta');
  let hasEnded = false;
  const ended = readTo(reader).then(
    () => (hasEnded = true),
    () => {},
  );
  const free = async (): Promise<void> => {
    abort.abort();
    await ended;
  };
  return { free, hasEnded: () => hasEnded };
}

/** Opens a stream of each API. */
function openAll() {
  return Promise.all(
    streams.map(async ({ path, body, ...expected }) => {
      const text = JSON.stringify({ model, stream: true, ...body });
      const response = await postRaw(hearth.url, path, text);
      const reader = response.body?.getReader();
      if (reader === undefined) throw new Error(`${path} has no body`);
      onTestFinished(() => reader.cancel());
      return { path, status: response.status, reader, ...expected };
    }),
  );
}

describe('streams that wait for a slot', () => {
  it('get their head and signs of life while they wait, then their answer', async () => {
    const { free, hasEnded } = await holdSlot();
    const opened = await openAll();
    expect(opened.map(({ status }) => status)).toEqual(opened.map(() => 200));
    const waited = await Promise.all(
      opened.map(({ reader, signOfLife }) => readTo(reader, signOfLife)),
    );
    expect(hasEnded()).toBe(false);
    for (const [index, { signOfLife, end }] of opened.entries()) {
      expect(waited[index]).toContain(signOfLife);
      expect(waited[index]).not.toContain(end);
    }
    await free();
    const answers = await Promise.all(opened.map(({ reader }) => readTo(reader)));
    for (const [index, { end, error }] of opened.entries()) {
      expect(answers[index]).toContain(end);
      expect(answers[index]).not.toContain(error);
    }
  }, 60_000);

  it('end with the error of their API', async () => {
    await holdSlot();
    const opened = await openAll();
    await post(hearth.url, '/api/v1/models/unload', { instance_id: model });
    const texts = await Promise.all(opened.map(({ reader }) => readTo(reader)));
    for (const [index, { error }] of opened.entries()) expect(texts[index]).toContain(error);
    expect(texts[0]).toMatch(/event: error\n.*"unloaded".*\n\nevent: chat\.end\n/s);
  }, 60_000);
});
