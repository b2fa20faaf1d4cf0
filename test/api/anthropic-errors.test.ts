import Anthropic, {
  APIError,
  AuthenticationError,
  BadRequestError,
  ContentTooLargeError,
  NotFoundError,
  OverloadedError,
  PermissionDeniedError,
  RateLimitError,
  type ClientOptions,
} from '@anthropic-ai/sdk';
import { describe, expect, it } from 'vitest';
import { anthropicErrorBodySchema } from '../../src/api/anthropic/errors.ts';
import type { Permission } from '../../src/kernel/permission.ts';
import { endlessModel, placeEndlessModel } from '../setup/models/endless-model.ts';
import { picture } from '../setup/models/picture.ts';
import { get, postRaw } from '../setup/server/api.ts';
import { waitForRequests } from '../setup/server/instances.ts';
import { enginePidOf } from '../setup/server/loaded-engines.ts';
import { fillQueue } from '../setup/server/fill-queue.ts';
import { useHearth } from '../setup/server/use-hearth.ts';
import { withTokens } from '../setup/server/with-tokens.ts';

const model = 'hearth/starter-chat';
const hello = { model, max_tokens: 5, messages: [{ role: 'user', content: 'Hello!' }] } as const;
const use = { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'f', input: {} }] };
const result = (id: string) => ({
  role: 'user',
  content: [{ type: 'tool_result', tool_use_id: id, content: 'x' }],
});
const user = (...content: readonly unknown[]) => ({ messages: [{ role: 'user', content }] });
const tool = { name: 'f', input_schema: { type: 'object' } };

/** The error with which a request fails. */
async function failureOf(request: PromiseLike<unknown>): Promise<APIError> {
  try {
    await request;
  } catch (error) {
    if (error instanceof APIError) return error;
    throw error;
  }
  throw new Error('The request did not fail.');
}

describe('a bad request', () => {
  const hearth = useHearth({ flags: ['--limits-body-bytes=3000000'] });
  const connect = (options: ClientOptions = {}) =>
    new Anthropic({ baseURL: hearth.url, apiKey: 'any-word', maxRetries: 0, ...options });
  const create = (changes: object, options: ClientOptions = {}) =>
    failureOf(connect(options).messages.create({ ...hello, ...changes } as never));

  it.each<[string, object, string, RegExp]>([
    ['a wrong type', { temperature: 'hot' }, 'temperature', /must be a number, not "hot"/],
    ['a temperature above 1', { temperature: 1.5 }, 'temperature', /at most 1/],
    ['no limit of tokens', { max_tokens: undefined }, 'max_tokens', /is required/],
    ['no messages', { messages: [] }, 'messages', /at least 1 item/],
    [
      'an unknown role',
      { messages: [{ role: 'narrator', content: 'x' }] },
      'messages[0].role',
      /one of "user", "assistant"/,
    ],
    [
      'an unknown block',
      user({ type: 'video' }),
      'messages[0].content[0].type',
      /one of "text", "image"/,
    ],
    [
      'a result without a call',
      { messages: [result('a')] },
      'messages[0].content[0].tool_use_id',
      /unexpected `tool_use_id`.*"a"/,
    ],
    [
      'an orphan id',
      { messages: [hello.messages[0], use, result('b')] },
      'messages[2].content[0].tool_use_id',
      /"b"/,
    ],
    [
      'a call without a result',
      { messages: [hello.messages[0], use, hello.messages[0], use] },
      'messages[1].content[0].id',
      /without `tool_result` blocks immediately after: "a"/,
    ],
    [
      'an image for a model without vision',
      user({ type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } }),
      'messages[0].content[0]',
      /can't see images/,
    ],
    [
      'a file of the files API',
      user({ type: 'image', source: { type: 'file', file_id: 'file_1' } }),
      'messages[0].content[0].source.type',
      /one of "base64", "url", not "file"/,
    ],
    [
      'a PDF without content',
      user({
        type: 'document',
        source: { type: 'base64', media_type: 'application/pdf', data: '' },
      }),
      'messages[0].content[0].source.data',
      /document is empty/,
    ],
    [
      'citations',
      user({
        type: 'document',
        source: { type: 'text', media_type: 'text/plain', data: 'x' },
        citations: { enabled: true },
      }),
      'messages[0].content[0].citations',
      /not supported/,
    ],
    [
      'a tool that Anthropic runs',
      { tools: [tool, { type: 'web_search_20250305', name: 'web_search' }] },
      'tools[1].type',
      /"web_search_20250305"/,
    ],
    ['a tool without a schema', { tools: [{ name: 'f' }] }, 'tools[0].input_schema', /required/],
    ['two tools of one name', { tools: [tool, tool] }, 'tools[1].name', /unique/],
    ['a choice that is not offered', { tool_choice: { type: 'any' } }, 'tool_choice', /no tool/],
    [
      'a schema beyond the bounds',
      {
        output_config: {
          format: { type: 'json_schema', schema: { type: 'object', $ref: '#/nowhere' } },
        },
      },
      'output_config.format.schema',
      /nowhere/,
    ],
    [
      'a budget beyond the limit',
      { thinking: { type: 'enabled', budget_tokens: 5 } },
      'thinking.budget_tokens',
      /`max_tokens` must be greater/,
    ],
    [
      'thinking before a forced call',
      { thinking: { type: 'adaptive' }, tools: [tool], tool_choice: { type: 'any' } },
      'thinking',
      /may not be enabled/,
    ],
    ['MCP servers', { mcp_servers: [{ type: 'url', url: 'x', name: 'y' }] }, 'mcp_servers', /tool/],
    ['a thread', { thread: { type: 'create' } }, 'thread', /Send all of them/],
    ['a container', { container: 'container_1' }, 'container', /code execution/],
    [
      'edits of the context',
      { context_management: { edits: [{ type: 'clear_tool_uses_20250919' }] } },
      'context_management',
      /never cut/,
    ],
  ])('with %s names the field', async (_, changes, param, message) => {
    const failure = await create(changes);
    expect(failure).toBeInstanceOf(BadRequestError);
    expect(failure.type).toBe('invalid_request_error');
    expect(failure.apiMessage).toMatch(message);
    expect(failure.apiMessage).toContain(param);
    expect(failure.details).toMatchObject({ param });
    const body = anthropicErrorBodySchema.parse(failure.error);
    expect(body.request_id).toBe(failure.requestID);
    expect(failure.requestID).toMatch(/^[\w.-]+$/);
    expect(failure.headers?.get('x-should-retry')).toBe('false');
  });

  it('with a broken image names its path, although results of tools come before it', async () => {
    const broken = { type: 'base64', media_type: 'image/png', data: 'bm90IGFuIGltYWdl' };
    const fine = { ...broken, data: (await picture('red')).split(',')[1] };
    const failure = await create({
      model: 'hearth/starter-vision',
      messages: [
        hello.messages[0],
        use,
        {
          role: 'user',
          content: [
            {
              type: 'tool_result',
              tool_use_id: 'a',
              content: [
                { type: 'image', source: fine },
                { type: 'image', source: broken },
              ],
            },
            { type: 'text', text: 'What is it?' },
          ],
        },
      ],
    });
    expect(failure).toBeInstanceOf(BadRequestError);
    expect(failure.errorCode).toBe('invalid_image');
    expect(failure.details).toMatchObject({ param: 'messages[2].content[0].content[1]' });
  });

  it('with an image behind an address is refused', async () => {
    const source = { type: 'url', url: 'https://example.com/red.png' };
    const failure = await create({
      model: 'hearth/starter-vision',
      ...user({ type: 'image', source }),
    });
    expect(failure).toBeInstanceOf(BadRequestError);
    expect(failure.errorCode).toBe('invalid_image');
  });

  const tooLong = async (words: number, isStreamed: boolean) => {
    const messages = [{ role: 'user' as const, content: 'harbour '.repeat(words) }];
    const failure = await create({ messages, stream: isStreamed });
    expect(failure).toBeInstanceOf(BadRequestError);
    expect(failure.errorCode).toBe('context_length_exceeded');
    const { input_tokens: counted } = await connect().messages.countTokens({ model, messages });
    return { message: failure.apiMessage, counted };
  };

  it.each([true, false])(
    'beyond the context is refused whole, streamed: %s',
    async (isStreamed) => {
      const { message, counted } = await tooLong(4200, isStreamed);
      expect(message).toBe(`prompt is too long: ${counted} tokens > 4096 maximum`);
    },
  );

  // covers api-7
  it('far beyond the context is refused before the engine reads it, and counted', async () => {
    const { message, counted } = await tooLong(9000, false);
    const tokens = Number(
      /^prompt is too long: at least (\d+) tokens > 4096 maximum$/.exec(message ?? '')?.[1],
    );
    expect(tokens).toBeGreaterThan(4096);
    expect(counted).toBeGreaterThanOrEqual(tokens);
  });

  it('for an unknown model is a 404 with the nearest', async () => {
    const failure = await create({ model: 'hearth/starter-chta' });
    expect(failure).toBeInstanceOf(NotFoundError);
    expect(failure.type).toBe('not_found_error');
    expect(failure.apiMessage).toContain('hearth/starter-chat');
    const counted = await failureOf(
      connect().messages.countTokens({ ...hello, messages: [...hello.messages], model: 'nothing' }),
    );
    expect(counted).toBeInstanceOf(NotFoundError);
  });

  it('for an embedding model is refused', async () => {
    const failure = await create({ model: 'hearth/starter-embed' });
    expect(failure).toBeInstanceOf(BadRequestError);
    expect(failure.errorCode).toBe('wrong_model_type');
  });

  it('of too many bytes is a 413', async () => {
    const failure = await create({ messages: [{ role: 'user', content: 'x'.repeat(3_000_001) }] });
    expect(failure).toBeInstanceOf(ContentTooLargeError);
    expect(failure.error).toMatchObject({ error: { type: 'request_too_large' } });
  });

  // covers error-18
  it('that is not JSON, or to an endpoint that does not exist, has the same format', async () => {
    const broken = await postRaw(hearth.url, '/v1/messages', '{oops');
    expect(broken.status).toBe(400);
    const body = anthropicErrorBodySchema.parse(await broken.json());
    expect(body.error.details.error_code).toBe('invalid_json');
    expect(broken.headers.get('request-id')).toBe(body.request_id);
    const unknown = await get(hearth.url, '/v1/messages/batches/x');
    expect(unknown.status).toBe(404);
    expect(anthropicErrorBodySchema.parse(unknown.body).error.type).toBe('not_found_error');
    const wrongMethod = await get(hearth.url, '/v1/messages');
    expect(wrongMethod.status).toBe(405);
    expect(anthropicErrorBodySchema.parse(wrongMethod.body).error.type).toBe(
      'invalid_request_error',
    );
    const beta = await failureOf(connect().beta.files.list());
    expect(beta).toBeInstanceOf(NotFoundError);
  });
});

describe('a token that is required', () => {
  let tokens: Readonly<Record<'chat' | 'models', string>>;
  const hearth = useHearth(async (home) => {
    tokens = await withTokens(home, async (service) => {
      const make = async (...permissions: Permission[]) =>
        (await service.create({ name: 'test', permissions })).token;
      return { chat: await make('chat'), models: await make('models:read') };
    });
    return { flags: ['--auth-required'] };
  });
  const connect = (options: ClientOptions) =>
    new Anthropic({ baseURL: hearth.url, maxRetries: 0, ...options });
  const say = (options: ClientOptions) =>
    connect(options).messages.create({ ...hello, messages: [...hello.messages] });

  // covers api-8
  it('is that of x-api-key or of Authorization', async () => {
    await expect(say({ apiKey: tokens.chat })).resolves.toMatchObject({ type: 'message' });
    await expect(say({ authToken: tokens.chat })).resolves.toMatchObject({ type: 'message' });
    for (const [apiKey, token] of [
      ['sk-ant-x', tokens.chat],
      [tokens.chat, 'sk-ant-x'],
    ] as const) {
      const headers = { 'x-api-key': apiKey, authorization: `Bearer ${token}` };
      const both = await postRaw(hearth.url, '/v1/messages', JSON.stringify(hello), { headers });
      expect(both.status).toBe(200);
    }
    const models = connect({ apiKey: tokens.models }).models;
    expect((await models.list()).data.length).toBeGreaterThan(0);
  });

  it('is missing, foreign, or lacks the permission', async () => {
    const foreign = await failureOf(say({ apiKey: 'sk-ant-x' }));
    expect(foreign).toBeInstanceOf(AuthenticationError);
    expect(foreign.type).toBe('authentication_error');
    const missing = await postRaw(hearth.url, '/v1/messages', JSON.stringify(hello));
    expect(missing.status).toBe(401);
    anthropicErrorBodySchema.parse(await missing.json());
    const lacking = await failureOf(say({ apiKey: tokens.models }));
    expect(lacking).toBeInstanceOf(PermissionDeniedError);
    expect(lacking.type).toBe('permission_error');
    const shared = await failureOf(connect({ apiKey: tokens.chat }).models.list());
    expect(shared).toBeInstanceOf(PermissionDeniedError);
  });
});

describe('a server that cannot answer', () => {
  const hearth = useHearth(async (home) => {
    await placeEndlessModel(home);
    return {
      flags: ['--engine-parallel=1', '--limits-shutdown-seconds=0'],
    };
  });
  const connect = () => new Anthropic({ baseURL: hearth.url, apiKey: 'x', maxRetries: 0 });
  const endless = {
    model: endlessModel,
    max_tokens: 20_000,
    messages: [{ role: 'user' as const, content: 'Tell me a story' }],
  };

  it('says that its queue is full, and ends a stream that failed with an error event', async () => {
    const running = await connect().messages.create({ ...endless, stream: true });
    const events = running[Symbol.asyncIterator]();
    const readAll = async (until?: string): Promise<void> => {
      for (let next = await events.next(); next.done !== true; next = await events.next()) {
        if (next.value.type === until) return;
      }
    };
    await readAll('content_block_delta');

    const leave = await fillQueue(hearth.url, endlessModel);
    const busy = await failureOf(connect().messages.create(endless));
    expect(busy).toBeInstanceOf(RateLimitError);
    expect(busy.type).toBe('rate_limit_error');
    expect(busy.headers?.get('retry-after')).toMatch(/^\d+$/);
    expect(busy.headers?.get('x-should-retry')).toBe('true');
    await leave();

    process.kill(await enginePidOf(hearth, endlessModel), 'SIGKILL');
    const failure = await failureOf(readAll());
    expect(failure).toMatchObject({ type: 'api_error', errorCode: 'crashed' });
  });

  it('ends what runs when it stops, as overloaded', async () => {
    const answer = failureOf(connect().messages.create(endless));
    await waitForRequests(hearth.url, endlessModel, 1);
    await hearth.stop();
    const failure = await answer;
    expect(failure).toBeInstanceOf(OverloadedError);
    expect(failure.type).toBe('overloaded_error');
  });
});
