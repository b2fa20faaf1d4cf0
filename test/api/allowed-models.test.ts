import { describe, expect, it } from 'vitest';
import { get, post } from '../setup/server/api.ts';
import { runBatchFile } from '../setup/server/run-batch.ts';
import { useHearth } from '../setup/server/use-hearth.ts';
import { withTokens } from '../setup/server/with-tokens.ts';

const permissions = ['chat', 'embeddings', 'models:read', 'models:write'] as const;
const makeTokens = (home: string) =>
  withTokens(home, async (service) => ({
    // Capital letters, since keys and patterns ignore case.
    bound: await service.create({ name: 'bound', permissions, modelScope: ['Hearth/*-Chat'] }),
    none: await service.create({ name: 'none', permissions, modelScope: [] }),
    changing: await service.create({ name: 'changing', permissions }),
    admin: await service.create({ name: 'admin', permissions: ['admin'] }),
  }));
let tokens: Awaited<ReturnType<typeof makeTokens>>;
type Name = keyof typeof tokens;
const hearth = useHearth(async (home) => {
  tokens = await makeTokens(home);
  const aliases = { good: chat, bad: 'hearth/starter-vision', 'bad-*': 'hearth/starter-vision' };
  const environment = { HEARTH_HUB_ENDPOINT: 'http://127.0.0.1:9' };
  return { flags: [`--models-aliases=${JSON.stringify(aliases)}`], environment };
});

const chat = 'hearth/starter-chat';
const vision = 'hearth/starter-vision';
const embed = 'hearth/starter-embed';
const as = (name: Name) => ({ headers: { authorization: `Bearer ${tokens[name].token}` } });
const send = (name: Name, path: string, body: object, method = 'POST') =>
  post(hearth.url, path, body, { ...as(name), method });
const read = async (name: Name, path: string) => (await get(hearth.url, path, as(name))).body;
const messages = [{ role: 'user', content: 'Hello!' }];

const generating: readonly (readonly [string, object])[] = [
  ['/api/v0/chat/completions', { messages, max_tokens: 1 }],
  ['/api/v0/completions', { prompt: 'Once', max_tokens: 1 }],
  ['/api/v1/chat', { input: 'Hello!', max_output_tokens: 1 }],
  ['/v1/chat/completions', { messages, max_tokens: 1 }],
  ['/v1/completions', { prompt: 'Once', max_tokens: 1 }],
  ['/v1/responses', { input: 'Hello!', max_output_tokens: 16 }],
  ['/v1/responses', { input: 'Hello!', max_output_tokens: 16, background: true }],
  ['/v1/responses/input_tokens', { input: 'Hello!' }],
  ['/v1/messages', { messages, max_tokens: 1 }],
  ['/v1/messages/count_tokens', { messages }],
  ['/api/chat', { messages, stream: false, options: { num_predict: 1 } }],
  ['/api/generate', { prompt: 'Once', stream: false, options: { num_predict: 1 } }],
  ['/api/generate', { stream: false }],
  ['/api/generate', { stream: false, keep_alive: 0 }],
];
const embedding: readonly (readonly [string, object])[] = [
  ['/v1/embeddings', { input: 'sea' }],
  ['/api/v0/embeddings', { input: 'sea' }],
  ['/api/embed', { input: 'sea' }],
  ['/api/embeddings', { prompt: 'sea' }],
];

describe('another model is refused', () => {
  // covers auth-15
  it.each(generating)('by %s %j', async (path, body) => {
    expect((await send('bound', path, { ...body, model: chat })).status).toBe(200);
    for (const model of [
      vision,
      'HEARTH/Starter-Vision',
      'starter-vision',
      `${vision}@q8_0`,
      'Starter-Vision@Q8_0',
      ' hearth/starter-vision ',
      'bad',
      'bad-thing',
    ]) {
      const answer = await send('bound', path, { ...body, model });
      expect({ model, status: answer.status }).toEqual({ model, status: 403 });
      const { error } = answer.body;
      expect(typeof error === 'string' ? error : error.message).toContain(
        `The token may not use the model "${vision}"; it may use: Hearth/*-Chat.`,
      );
    }
  });

  it.each(embedding)('by %s', async (path, body) => {
    for (const model of [embed, 'STARTER-EMBED', `${embed}@q8_0`]) {
      expect((await send('bound', path, { ...body, model })).status).toBe(403);
    }
    expect((await send('admin', path, { ...body, model: embed })).status).toBe(200);
  });

  it('by its instances, also for a request without a model', async () => {
    const load = (body: object) => send('admin', '/api/v1/models/load', body);
    const body = { messages, max_tokens: 1 };
    expect((await load({ model: chat })).status).toBe(200);
    expect((await load({ model: vision })).status).toBe(200);
    const second = await load({ model: vision });
    const named = await load({ model: vision, identifier: 'sight' });
    for (const model of [vision, second.body.instance_id, 'sight']) {
      const answer = await send('bound', '/v1/chat/completions', { ...body, model });
      expect({ model, status: answer.status }).toEqual({ model, status: 403 });
      const unload = { instance_id: model };
      expect(await send('bound', '/api/v1/models/unload', unload)).toMatchObject({
        status: 404,
        body: { error: { message: `No loaded instance has the id "${model}". Loaded: ${chat}.` } },
      });
    }
    expect(named.body.instance_id).toBe('sight');
    expect(second.body.instance_id).toBe(`${vision}:2`);
    // The only model that the token sees is loaded.
    const answer = await send('bound', '/v1/chat/completions', body);
    expect(answer.body).toMatchObject({ model: chat });
    expect((await send('none', '/v1/chat/completions', body)).status).toBe(400);
  });

  it('by loads, estimates, settings, details, downloads and deletions', async () => {
    for (const [name, base] of [
      ['seer', vision],
      ['reader', chat],
    ]) {
      const set = await send('admin', `/api/v1/model-settings/${name}`, { base }, 'PUT');
      expect(set.status).toBe(200);
    }
    const requests: readonly (readonly [string, string, object?])[] = [
      ['POST', '/api/v1/models/load', { model: vision }],
      ['POST', '/api/v1/models/load', { model: vision, estimate_only: true }],
      ['POST', '/api/v1/models/load', { model: chat, draft_model: vision }],
      ['POST', '/api/v1/models/estimate', { model: vision }],
      ['PUT', `/api/v1/model-settings/${vision}`, { load: {} }],
      ['PUT', `/api/v1/model-settings/${chat}`, { load: { draft_model: vision } }],
      ['PUT', '/api/v1/model-settings/seer', { base: chat }],
      ['POST', '/api/copy', { source: 'reader', destination: 'seer' }],
      ['GET', `/api/v1/model-settings/${vision}`],
      ['DELETE', `/api/v1/model-settings/${vision}`],
      ['GET', `/api/v1/models/details?model=${vision}`],
      ['GET', `/api/v1/models/${vision}`],
      ['DELETE', `/api/v1/models/${vision}`],
      ['GET', `/api/v0/models/${vision}`],
      ['GET', `/v1/models/${vision}`],
      ['POST', '/api/show', { model: vision }],
      ['POST', '/api/copy', { source: vision, destination: 'mine' }],
      ['POST', '/api/copy', { source: chat, destination: 'BAD' }],
      ['POST', '/api/create', { model: 'mine', from: vision }],
      ['POST', '/api/create', { model: 'seer', from: chat }],
      ['POST', '/api/create', { model: 'mine', files: { 'a.gguf': `sha256:${'0'.repeat(64)}` } }],
      ['DELETE', '/api/delete', { model: vision }],
      ['DELETE', '/api/delete', { model: 'bad:latest' }],
      ['DELETE', '/api/delete', { model: 'bad-*' }],
    ];
    for (const [method, path, body] of requests) {
      const { status } = await post(hearth.url, path, body, {
        ...as('bound'),
        method,
        ...(body === undefined && { body: null }),
      });
      expect({ method, path, body, status }).toEqual({ method, path, body, status: 403 });
    }
    for (const name of ['seer', 'reader']) {
      await send('admin', '/api/delete', { model: name }, 'DELETE');
    }
    const form = { ...as('bound'), method: 'PUT', body: 'GGUF' };
    const upload = await get(hearth.url, '/api/v1/models/files/hearth/other/a.gguf', {
      ...form,
      headers: { ...form.headers, 'content-type': 'application/octet-stream' },
    });
    expect(upload.status).toBe(403);
  });

  it('by what the caller stored earlier', async () => {
    const before = await send('changing', '/api/v1/chat', { model: vision, input: 'Hello!' });
    const previous = before.body.response_id;
    const { id } = tokens.changing.record;
    const changed = await send('admin', `/api/v1/tokens/${id}`, { models: [chat] }, 'PATCH');
    expect(changed.body).toMatchObject({ id, models: [chat], requests_per_day: null });
    const answers = [
      await send('changing', `/api/v1/responses/${previous}/continue`, {}),
      await send('changing', '/api/v1/chat', {
        model: vision,
        input: 'And?',
        previous_response_id: previous,
      }),
      await send('changing', '/v1/responses', {
        model: vision,
        input: 'And?',
        previous_response_id: previous,
      }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([403, 403, 403]);
    const other = { model: chat, input: 'And?', previous_response_id: previous };
    expect((await send('changing', '/api/v1/chat', other)).status).toBe(200);
    await send('admin', `/api/v1/tokens/${id}`, { models: null }, 'PATCH');
    expect((await send('changing', '/api/v1/chat', { ...other, model: vision })).status).toBe(200);
  });

  it('by the requests of a batch', async () => {
    const endpoint = '/v1/chat/completions';
    const lines = [chat, vision].map((model) =>
      JSON.stringify({
        custom_id: model,
        method: 'POST',
        url: endpoint,
        body: { model, messages, max_tokens: 1 },
      }),
    );
    const batch = await runBatchFile(hearth.url, endpoint, lines.join('\n'), as('bound'));
    expect(batch.status).toBe('completed');
    expect(batch.request_counts).toEqual({ total: 2, completed: 1, failed: 1 });
  });
});

describe('lists', () => {
  it('show a token the models that it may use', async () => {
    for (const [name, expected] of [
      ['bound', [chat]],
      ['none', []],
    ] as const) {
      const v1 = await read(name, '/api/v1/models');
      expect(v1.models.map(({ key }: { key: string }) => key)).toEqual(expected);
      const v0 = await read(name, '/api/v0/models');
      expect(v0.data.map(({ id }: { id: string }) => id)).toEqual(expected);
      const aliased = expected.length > 0 ? [...expected, 'good'] : [];
      const openAi = await read(name, '/v1/models');
      expect(openAi.data.map(({ id }: { id: string }) => id)).toEqual(aliased);
      const headers = { ...as(name).headers, 'anthropic-version': '2023-06-01' };
      const anthropic = await get(hearth.url, '/v1/models', { headers });
      expect(anthropic.body.data.map(({ id }: { id: string }) => id)).toEqual(aliased);
    }
    for (const path of ['/api/tags', '/api/ps', '/api/v1/status', '/api/v1/model-settings']) {
      expect(JSON.stringify(await read('bound', path))).not.toMatch(/vision|embed/);
    }
    const unknown = await send('bound', '/v1/chat/completions', { model: 'nothing', messages });
    expect(unknown).toMatchObject({ status: 404, body: { error: { code: 'model_not_found' } } });
    expect(unknown.body.error.message).not.toMatch(/vision|embed/);
  });

  it('and events show no others', async () => {
    const live = await get(hearth.url, '/api/v1/status', as('admin'));
    expect(JSON.stringify(live.body)).toContain(vision);
    const response = await fetch(`${hearth.url}/api/v1/events`, as('bound'));
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    const readTo = async (part: string) => {
      while (!text.includes(part)) text += (await reader?.read())?.value ?? '';
    };
    await readTo('events.snapshot');
    await send('admin', '/api/v1/models/unload', { instance_id: 'sight' });
    await send('admin', '/api/v1/models/load', { model: chat, identifier: 'last' });
    await readTo('"last"');
    await reader?.cancel();
    expect(text).toContain(chat);
    expect(text).not.toMatch(/vision|sight/);
  });
});

it('refuses malformed patterns', async () => {
  for (const models of [[''], ['a\0'], ['a'.repeat(257)], 'hearth/*', [1]]) {
    const body = { name: 'x', permissions: ['chat'], models };
    expect((await send('admin', '/api/v1/tokens', body)).status).toBe(400);
  }
  const answer = await send('bound', '/api/v1/tokens', { name: 'x', permissions: ['chat'] });
  expect(answer.status).toBe(403);
});
