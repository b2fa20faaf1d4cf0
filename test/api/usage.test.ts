import { expect, it } from 'vitest';
import { runHearth } from '../setup/cli/run-hearth.ts';
import { get, post } from '../setup/server/api.ts';
import { runBatch } from '../setup/server/run-batch.ts';
import { useHearth } from '../setup/server/use-hearth.ts';
import { withTokens } from '../setup/server/with-tokens.ts';

const makeTokens = (home: string) =>
  withTokens(home, async (service) => {
    const make = (name: string, permissions: readonly ('chat' | 'embeddings' | 'admin')[]) =>
      service.create({ name, permissions });
    return {
      notebook: await make('notebook', ['chat', 'embeddings']),
      other: await make('other', ['chat']),
      admin: await make('admin', ['admin']),
    };
  });
let tokens: Awaited<ReturnType<typeof makeTokens>>;
const hearth = useHearth(async (home) => {
  tokens = await makeTokens(home);
});

const as = (name: keyof typeof tokens, more: Readonly<Record<string, string>> = {}) => ({
  headers: { authorization: `Bearer ${tokens[name].token}`, ...more },
});
const usageOf = (name: keyof typeof tokens, query = '') =>
  get(hearth.url, `/api/v1/usage?${query}`, as(name));

const chat = 'hearth/starter-chat';
const embed = 'hearth/starter-embed';
const messages = [{ role: 'user', content: 'Hello!' }];
const send = async (path: string, body: object, name: keyof typeof tokens = 'notebook') => {
  const answer = await post(hearth.url, path, { model: chat, temperature: 0, ...body }, as(name));
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return answer.body;
};

async function usageOfBatch(): Promise<{ prompt: number; completion: number }> {
  const requests = new Map([['a', { model: chat, messages, max_tokens: 4 }]]);
  const results = await runBatch(hearth.url, '/v1/chat/completions', requests, as('notebook'));
  const usage = results.get('a')?.response?.body.usage;
  return { prompt: usage.prompt_tokens, completion: usage.completion_tokens };
}

async function runBackground(): Promise<{ prompt: number; completion: number }> {
  const body = { input: 'Hello!', max_output_tokens: 4, background: true };
  const { id } = await send('/v1/responses', body);
  const read = async () => (await get(hearth.url, `/v1/responses/${id}`, as('notebook'))).body;
  await expect.poll(async () => (await read()).status).not.toMatch(/queued|in_progress/);
  const { usage } = await read();
  return { prompt: usage.input_tokens, completion: usage.output_tokens };
}

// covers auth-14
it('counts the requests and tokens of all APIs, as their answers have them', async () => {
  const v1 = await send('/api/v1/chat', { input: 'Hello!', max_output_tokens: 4 });
  const v0 = await send('/api/v0/chat/completions', { messages, max_tokens: 4 });
  const openAi = await send('/v1/chat/completions', { messages, max_tokens: 4 });
  const text = await send('/v1/completions', { prompt: 'Once', max_tokens: 4 });
  const response = await send('/v1/responses', { input: 'Hello!', max_output_tokens: 4 });
  const anthropic = await send('/v1/messages', { messages, max_tokens: 4 });
  const ollama = await send('/api/chat', { messages, stream: false, options: { num_predict: 4 } });
  const batch = await usageOfBatch();
  const background = await runBackground();
  const expected = [
    { prompt: v1.stats.input_tokens, completion: v1.stats.total_output_tokens },
    ...[v0, openAi, text].map(({ usage }) => ({
      prompt: usage.prompt_tokens,
      completion: usage.completion_tokens,
    })),
    { prompt: response.usage.input_tokens, completion: response.usage.output_tokens },
    {
      prompt: anthropic.usage.input_tokens + (anthropic.usage.cache_read_input_tokens ?? 0),
      completion: anthropic.usage.output_tokens,
    },
    { prompt: ollama.prompt_eval_count, completion: ollama.eval_count },
    batch,
    background,
  ];
  const sum = (kind: 'prompt' | 'completion') =>
    expected.reduce((total, each) => total + each[kind], 0);
  const embedding = await send('/v1/embeddings', { model: embed, input: ['sea', 'ship'] });
  const v0Embedding = await send('/api/v0/embeddings', { model: embed, input: 'sea' });
  const ollamaEmbedding = await send('/api/embed', { model: embed, input: 'sea' });

  await expect
    .poll(async () => (await usageOf('notebook', 'group_by=model')).body.rows)
    .toEqual([
      {
        model: chat,
        requests: expected.length,
        failed_requests: 0,
        prompt_tokens: sum('prompt'),
        cached_prompt_tokens: expect.any(Number),
        completion_tokens: sum('completion'),
      },
      {
        model: embed,
        requests: 3,
        failed_requests: 0,
        prompt_tokens:
          embedding.usage.prompt_tokens +
          v0Embedding.usage.prompt_tokens +
          ollamaEmbedding.prompt_eval_count,
        cached_prompt_tokens: 0,
        completion_tokens: 0,
      },
    ]);
});

it('shows a token its own usage, and an administrator that of all', async () => {
  await send('/v1/chat/completions', { messages, max_tokens: 1 }, 'other');
  const anonymous = await post(hearth.url, '/v1/chat/completions', { model: chat, messages });
  expect(anonymous.status).toBe(200);
  const today = new Date().toISOString().slice(0, 10);
  const own = { token_id: tokens.other.record.id, token_name: 'other' };
  await expect
    .poll(async () => (await usageOf('other', 'group_by=day,model,token')).body)
    .toMatchObject({
      to: today,
      totals: { requests: 1, completion_tokens: 1 },
      rows: [{ ...own, day: today, model: chat, requests: 1 }],
    });
  await expect
    .poll(async () => (await usageOf('admin', 'group_by=token')).body.rows)
    .toEqual(
      expect.arrayContaining([
        expect.objectContaining({ token_id: null, token_name: null, requests: 1 }),
        expect.objectContaining({ ...own, requests: 1 }),
        expect.objectContaining({ token_id: tokens.notebook.record.id, token_name: 'notebook' }),
      ]),
    );
  const withoutToken = await get(hearth.url, '/api/v1/usage');
  expect(withoutToken.body.totals).toMatchObject({ requests: 1 });
  const command = await runHearth(['usage', '--by', 'token'], { home: hearth.home });
  for (const row of [/^no token +1 /m, /^notebook +\d/m, /^other +1 /m]) {
    expect(command.stdout).toMatch(row);
  }
});

it('refuses days that can not be read', async () => {
  for (const query of [
    'from=2026-11-02&to=2026-11-01',
    'from=2020-01-01',
    'from=yesterday',
    'group_by=day,owner',
    'to=0000-01-01',
  ]) {
    const { status, body } = await usageOf('admin', query);
    expect({ query, status, type: body.error?.type }).toEqual({
      query,
      status: 400,
      type: 'invalid_request',
    });
  }
});

it('keeps all counts when the server stops, and the written ones when it is killed', async () => {
  const before = await usageOf('admin');
  await send('/v1/chat/completions', { messages, max_tokens: 1 });
  await hearth.stop();
  await hearth.restart();
  const { body: stopped } = await usageOf('admin');
  expect(stopped.totals).toMatchObject({ requests: before.body.totals.requests + 1 });
  await hearth.kill();
  await hearth.restart();
  expect((await usageOf('admin')).body).toEqual(stopped);
});
