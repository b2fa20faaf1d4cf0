import OpenAI, {
  APIError,
  AuthenticationError,
  BadRequestError,
  NotFoundError,
  PermissionDeniedError,
  type ClientOptions,
} from 'openai';
import { describe, expect, it } from 'vitest';
import type { Permission } from '../../src/kernel/permission.ts';
import { get } from '../setup/server/api.ts';
import { useHearth } from '../setup/server/use-hearth.ts';
import { withTokens } from '../setup/server/with-tokens.ts';

const model = 'hearth/starter-chat';
const vision = 'hearth/starter-vision';
const hello = { role: 'user', content: 'Hello!' };
const call = {
  role: 'assistant',
  tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }],
};
const result = { role: 'tool', tool_call_id: 'b', content: 'x' };
const unresolvable = { type: 'object', properties: { a: { $ref: '#/nowhere' } } };
const longText = 'harbour '.repeat(6000);
const notAnImage = 'data:image/png;base64,aGVsbG8=';

let tokens: Readonly<Record<'all' | 'reading', string>>;
const hearth = useHearth(async (home) => {
  tokens = await withTokens(home, async (service) => {
    const make = async (...permissions: Permission[]) =>
      (await service.create({ name: 'test', permissions })).token;
    return {
      all: await make('chat', 'embeddings', 'models:read'),
      reading: await make('models:read'),
    };
  });
  return { flags: ['--auth-required'] };
});

type Endpoint = 'chat/completions' | 'responses' | 'completions' | 'embeddings' | 'rerank';

/** The error that the client throws. */
async function failureOf(
  endpoint: Endpoint,
  body: object,
  options: ClientOptions = {},
): Promise<APIError> {
  const settings = { baseURL: `${hearth.url}/v1`, apiKey: tokens.all, maxRetries: 0 };
  try {
    await new OpenAI({ ...settings, ...options }).post(`/${endpoint}`, { body });
  } catch (error) {
    if (error instanceof APIError) return error;
    throw error;
  }
  throw new Error('The request did not fail.');
}

const look = (url: string) => ({
  messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url } }] }],
});
const see = (url: string) => ({
  input: [{ role: 'user', content: [{ type: 'input_image', image_url: url }] }],
});
const chat = { model, messages: [hello] };
const response = { model, input: 'Hello!', store: false };

it.each<[Endpoint, string, object, string | null, RegExp]>([
  ['chat/completions', 'a wrong type', { ...chat, temperature: 'hot' }, 'temperature', /not "hot"/],
  ['chat/completions', 'no messages', { ...chat, messages: [] }, 'messages', /at least 1 item/],
  [
    'chat/completions',
    'an orphan id',
    { ...chat, messages: [hello, call, result] },
    'messages[2].tool_call_id',
    /"b"/,
  ],
  [
    'chat/completions',
    'an invalid image',
    { model: vision, ...look(notAnImage) },
    'messages[0].content[0].image_url',
    /Allowed are png/,
  ],
  [
    'chat/completions',
    'an image for a model without vision',
    { model, ...look(notAnImage) },
    'messages[0].content[0].image_url',
    /can't see images/,
  ],
  [
    'chat/completions',
    'a schema beyond the bounds',
    {
      ...chat,
      response_format: { type: 'json_schema', json_schema: { name: 'x', schema: unresolvable } },
    },
    'response_format.json_schema.schema',
    /schema/,
  ],
  [
    'chat/completions',
    'a prompt beyond the context',
    { ...chat, messages: [{ role: 'user', content: longText }] },
    null,
    /4096/,
  ],
  [
    'chat/completions',
    'a model for embeddings',
    { ...chat, model: 'hearth/starter-embed' },
    'model',
    /is an embedding model/,
  ],
  [
    'completions',
    'a format',
    { model, prompt: 'The sea', json_schema: { type: 'object' } },
    'json_schema',
    /chat completions/,
  ],
  ['responses', 'a wrong type', { ...response, temperature: 'hot' }, 'temperature', /not "hot"/],
  ['responses', 'an invalid image', { model: vision, ...see(notAnImage) }, 'input', /Allowed/],
  [
    'responses',
    'an image for a model without vision',
    { model, ...see(notAnImage) },
    'input',
    /can't see/,
  ],
  [
    'responses',
    'a schema beyond the bounds',
    { ...response, text: { format: { type: 'json_schema', name: 'x', schema: unresolvable } } },
    'text.format.schema',
    /schema/,
  ],
  ['responses', 'an input beyond the context', { ...response, input: longText }, null, /4096/],
  ['completions', 'a prompt of a wrong type', { model, prompt: {} }, 'prompt', /prompt/],
  ['completions', 'a suffix', { model, prompt: 'x', suffix: 'y' }, 'suffix', /fill in the middle/],
  ['embeddings', 'a model for chat', { model, input: 'x' }, 'model', /need an embedding model/],
  [
    'embeddings',
    'other dimensions',
    { model: 'hearth/starter-embed', input: 'x', dimensions: 5 },
    'dimensions',
    /`dimensions` is 5/,
  ],
  ['rerank', 'a model for chat', { model, query: 'x', documents: ['y'] }, 'model', /rank head/],
])('%s refuses %s', async (endpoint, _, body, param, message) => {
  const failure = await failureOf(endpoint, body);
  expect(failure).toBeInstanceOf(BadRequestError);
  expect(failure).toMatchObject({ param, type: 'invalid_request_error' });
  expect(failure.message).toMatch(message);
});

describe.each<[Endpoint, object]>([
  ['chat/completions', { messages: [hello] }],
  ['responses', { input: 'Hello!' }],
  ['completions', { prompt: 'Hello!' }],
  ['embeddings', { input: 'Hello!' }],
  ['rerank', { query: 'x', documents: ['y'] }],
])('%s', (endpoint, body) => {
  it('does not find an unknown model', async () => {
    const failure = await failureOf(endpoint, { ...body, model: 'hearth/starter-chta' });
    expect(failure).toBeInstanceOf(NotFoundError);
    expect(failure.code).toBe('model_not_found');
    expect(failure.message).toContain('hearth/starter-chat');
  });

  it('needs a token with its permission', async () => {
    const request = { ...body, model };
    const lacking = await failureOf(endpoint, request, { apiKey: tokens.reading });
    expect(lacking).toBeInstanceOf(PermissionDeniedError);
    expect(lacking.code).toBe('forbidden');
    const unknown = await failureOf(endpoint, request, { apiKey: 'hearth_unknown' });
    expect(unknown).toBeInstanceOf(AuthenticationError);
    expect(unknown.code).toBe('invalid_api_key');
  });
});

it('ends a response whose client goes away midway, and does not store it', async () => {
  const running = await new OpenAI({
    baseURL: `${hearth.url}/v1`,
    apiKey: tokens.all,
  }).responses.create({
    model,
    input: 'Tell me a story',
    stream: true,
  });
  const headers = { authorization: `Bearer ${tokens.all}` };
  let id = '';
  for await (const event of running) {
    if (event.type === 'response.created') ({ id } = event.response);
    if (event.type.endsWith('.delta')) running.controller.abort();
  }
  const idle = async () =>
    (await get(hearth.url, '/api/v1/status', { headers })).body.instances.every(
      (each: { active_requests: number }) => each.active_requests === 0,
    );
  await expect.poll(idle).toBe(true);
  expect((await get(hearth.url, `/v1/responses/${id}`, { headers })).status).toBe(404);
});
