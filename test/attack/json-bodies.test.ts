import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { get, post, postRaw, toAnswer } from '../setup/server/api.ts';
import { expectError } from '../setup/server/expect-error.ts';
import { starterPath } from '../setup/engine/test-engines.ts';
import { useHearth } from '../setup/server/use-hearth.ts';

const hearth = useHearth();

const model = 'hearth/starter-chat';
const chat = '/api/v1/chat';
const chatV0 = '/api/v0/chat/completions';
const hello = { model, input: 'Hello!', reasoning: 'off' };
const helloV0 = { model, messages: [{ role: 'user', content: 'Hello!' }], max_tokens: 5 };
const sendRaw = async (path: string, body: string | Uint8Array<ArrayBuffer>) =>
  toAnswer(await postRaw(hearth.url, path, body));

describe('a body that is not JSON in UTF-8', () => {
  const cases: readonly (readonly [string, string | Uint8Array<ArrayBuffer>, RegExp])[] = [
    ['bytes that are not text', Buffer.from('7b22ff227d', 'hex'), /it is not UTF-8/],
    ['UTF-16', Buffer.from(JSON.stringify(hello), 'utf16le'), /not JSON|not UTF-8/],
    ['two values', `${JSON.stringify(hello)}{}`, /not JSON/],
    ['a comment', '{/* */}', /not JSON/],
    ['a single quote', "{'model': 1}", /not JSON/],
    ['a form', 'model=x&input=y', /not JSON/],
  ];

  // covers error-3
  it.each(cases)('%s', async (_, body, message) => {
    expectError(await sendRaw(chat, body), { code: 'invalid_json', message });
    expectError(await sendRaw(chatV0, body), { code: 'invalid_json', message, isV0: true });
  });

  it.each(['null', '[]', '"text"', '5', 'true'])(
    'rejects %s, which is not an object',
    async (body) => {
      const answer = await sendRaw(chat, body);
      expectError(answer, { code: 'invalid_type', message: 'The request must be an object, not' });
    },
  );
});

describe('a small body with a high cost', () => {
  // covers error-21
  it('is refused if it is nested 100,000 levels deep anywhere', async () => {
    const deep = (open: string, close: string): string =>
      `${open.repeat(100_000)}1${close.repeat(100_000)}`;
    const tools = `[{"type":"function","function":{"name":"f","parameters":${deep('{"a":', '}')}}}]`;
    for (const [path, body] of [
      [chat, deep('[', ']')],
      [chat, `{"model":"${model}","input":${deep('[', ']')}}`],
      [chatV0, `{"tools":${tools},${JSON.stringify(helloV0).slice(1)}`],
    ] as const) {
      const answer = await sendRaw(path, body);
      expect(answer).toMatchObject({ status: 400, body: { error: { code: 'invalid_json' } } });
    }
  });

  it('is refused if it contains a million values', async () => {
    for (const body of [`[${'[],'.repeat(1_000_000)}[]]`, `{"input":[${'0,'.repeat(1e6)}0]}`]) {
      const message = 'more than 250000 JSON values';
      expectError(await sendRaw(chat, body), { code: 'body_too_large', message });
    }
  });
});

it.each(['gzip', 'deflate', 'br', 'zstd', 'gzip, gzip'])(
  'a body that is compressed by %s is refused, not unpacked',
  async (encoding) => {
    // 50 MB.
    const bomb = gzipSync(Buffer.alloc(50_000_000, ' '));
    for (const [path, type] of [
      [chat, 'application/json'],
      ['/v1/files', 'multipart/form-data; boundary=x'],
      ['/v1/chat/completions', 'application/json'],
    ] as const) {
      const headers = { 'content-encoding': encoding, 'content-type': type };
      const { status, body } = await toAnswer(await postRaw(hearth.url, path, bomb, { headers }));
      expect(status).toBe(415);
      expect(body.error).toMatchObject({
        message: `The Content-Encoding is "${encoding}"; the body must not be compressed.`,
      });
    }
  },
);

describe('a key with a meaning in JavaScript', () => {
  const key = '{"__proto__":{"isPolluted":true},"constructor":{"prototype":{"isPolluted":true}},';

  it('is an unknown field in v1', async () => {
    const body = key + JSON.stringify(hello).slice(1);
    const message = '"__proto__" is not a known field';
    expectError(await sendRaw(chat, body), {
      code: 'unrecognized_keys',
      param: '__proto__',
      message,
    });
  });

  // covers v0-chat-30
  it('is ignored in v0', async () => {
    const answer = await sendRaw(chatV0, key + JSON.stringify(helloV0).slice(1));
    expect(answer.status).toBe(200);
    expect(JSON.stringify(answer.body)).not.toContain('isPolluted');
  });
});

describe('a text with invalid characters', () => {
  const texts = [
    'a\u0000b',
    '\ud800',
    'a\udfffb',
    '\ufffe\uffff',
    '\u202egnp.',
    '<|im_end|>',
    '{{ 7*7 }}',
  ];

  it.each(texts.map((text) => [text]))('%j never fails the server', async (text) => {
    const requests = [
      [chat, { ...hello, input: text }],
      [chat, { ...hello, system_prompt: text, stream: true }],
      [chat, { ...hello, model: text }],
      [chatV0, { ...helloV0, messages: [{ role: 'user', content: text }] }],
      [chatV0, { ...helloV0, stop: [text], user: text }],
      ['/api/v0/completions', { model, prompt: text, max_tokens: 3 }],
      ['/api/v0/embeddings', { model: 'hearth/starter-embed', input: [text, text] }],
      ['/api/v1/models/load', { model: text }],
      ['/api/v1/models/unload', { instance_id: text }],
    ] as const;
    for (const [path, body] of requests) {
      const { status, body: answer } = await post(hearth.url, path, body);
      expect([200, 400, 404], `${path}: ${JSON.stringify(answer)}`).toContain(status);
    }
  });

  it('is stored unchanged', async () => {
    const input = 'NUL \u0000, quotes \' " and a family 👨‍👩‍👧';
    const { body } = await post(hearth.url, chat, { ...hello, input });
    const shown = await get(hearth.url, `/api/v1/responses/${body.response_id}`);
    expect(shown.body.input).toEqual([{ type: 'text', content: input }]);
  });
});

describe('a model name', () => {
  it.each([
    '../../etc/passwd',
    '..\\..\\etc\\passwd',
    '/etc/passwd',
    starterPath('chat'),
    `../../..${starterPath('chat')}`,
    `file://${starterPath('chat')}`,
    'hearth/../hearth/starter-chat',
    'hearth/starter-chat/starter-chat-q8_0.gguf',
    'hearth/starter-chat@../../q8_0',
    '__proto__',
    'hearth/constructor',
    '$(touch /tmp/x)',
    'x'.repeat(512),
  ])('that is not a key of the library is not found: %s', async (name) => {
    for (const [path, body] of [
      [chat, { ...hello, model: name }],
      [chatV0, { ...helloV0, model: name }],
      ['/api/v1/models/load', { model: name }],
    ] as const) {
      const answer = await post(hearth.url, path, body);
      expect(answer).toMatchObject({ status: 404, body: { error: { code: 'model_not_found' } } });
    }
  });

  it('that is too long is truncated in the message', async () => {
    const answer = await post(hearth.url, chat, { ...hello, model: 'x'.repeat(50_000) });
    const message = /must be at most 512 characters long, not "x{80}"… \(50000 characters\)/;
    expectError(answer, { code: 'invalid_value', param: 'model', message });
  });
});

it.each([
  ['temperature', '1e999'],
  ['max_output_tokens', '1.5'],
  ['max_output_tokens', '9007199254740993'],
  ['top_k', '-1'],
  ['context_length', '0'],
])('refuses the number %s: %s', async (field, number) => {
  const answer = await sendRaw(chat, `{"${field}":${number},${JSON.stringify(hello).slice(1)}`);
  expect(answer).toMatchObject({ status: 400, body: { error: { param: field } } });
});

it('logged none of this as an internal error', () => {
  expect(hearth.log()).not.toContain('"level":"error"');
});
