import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Permission } from '../../src/kernel/permission.ts';
import { runHearth } from '../setup/cli/run-hearth.ts';
import { endlessModel, placeEndlessModel } from '../setup/models/endless-model.ts';
import { placeRankModel, rankModel } from '../setup/models/rank-model.ts';
import { get, post, postRaw } from '../setup/server/api.ts';
import { hearthEntryPoint, hearthEnvironment } from '../setup/server/hearth-process.ts';
import { noLimits } from '../../src/store/shared/rate-limit-repository.ts';
import { useHearth } from '../setup/server/use-hearth.ts';
import { withTokens } from '../setup/server/with-tokens.ts';

const model = 'hearth/starter-chat';
const names = [
  'list_models',
  'chat',
  'embed',
  'rank',
  'search_conversations',
  'format_speech_script',
];
const tokens: Record<string, string> = {};
const hearth = useHearth(async (home) => {
  await placeEndlessModel(home);
  await placeRankModel(home);
  await withTokens(home, async (service) => {
    const make = async (name: string, permissions: Permission[], perMinute?: number) => {
      const rateLimits = { ...noLimits, requestsPerMinute: perMinute ?? null };
      tokens[name] = (await service.create({ name, permissions, rateLimits })).token;
    };
    await make('admin', ['admin']);
    await make('chat', ['chat']);
    await make('embeddings', ['embeddings']);
    await make('metrics', ['metrics']);
    await make('limited', ['chat'], 1);
  });
  return { flags: ['--mcp-allow-plugins'] };
});

const bearer = (name: string) => ({ authorization: `Bearer ${tokens[name]}` });
const overHttp = (name?: string) =>
  new StreamableHTTPClientTransport(new URL(`${hearth.url}/mcp`), {
    requestInit: { headers: name === undefined ? {} : bearer(name) },
  });
const overStdio = () =>
  new StdioClientTransport({
    command: process.execPath,
    args: [hearthEntryPoint, 'mcp', 'serve', '--host', hearth.url],
    env: hearthEnvironment(),
    stderr: 'ignore',
  });

type Mode = 'legacy' | { readonly pin: string };
async function connect(transport = overHttp() as ConnectArgument, mode: Mode = 'legacy') {
  const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode } });
  await client.connect(transport);
  onTestFinished(() => client.close());
  return client;
}
type ConnectArgument = Parameters<Client['connect']>[0];

const textOf = ({ content }: { readonly content: unknown }) =>
  (content as readonly { readonly text: string }[])[0]?.text ?? '';
const call = async (client: Client, name: string, args: Record<string, unknown>) => {
  const result = await client.callTool({ name, arguments: args });
  return { ...result, structured: result.structuredContent as any }; // oxlint-disable-line typescript/no-explicit-any
};
const modern = { pin: '2026-07-28' };

describe.each([
  ['Streamable HTTP', () => connect(overHttp(), modern)],
  ['stdio', () => connect(overStdio())],
])('a client over %s', (_, open) => {
  // covers mcp-server-1, mcp-server-2
  it('lists the tools and uses them', async () => {
    const client = await open();
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(names);
    for (const tool of tools) {
      expect(tool).toMatchObject({
        inputSchema: { type: 'object' },
        outputSchema: { type: 'object' },
        annotations: { readOnlyHint: tool.name !== 'chat', openWorldHint: false },
      });
      expect(JSON.stringify(tool)).not.toContain('$ref');
    }

    // The client checks structured content against the schemas.
    const listed = await call(client, 'list_models', { type: 'llm' });
    expect(listed.structured.models).toContainEqual(
      expect.objectContaining({ key: model, type: 'llm', max_context_length: 4096 }),
    );
    expect(JSON.parse(textOf(listed))).toEqual(listed.structured);

    const first = await call(client, 'chat', {
      model,
      input: 'My name is Ada.',
      temporary: false,
      reasoning: 'off',
    });
    expect(first.structured).toMatchObject({ answer: expect.stringContaining('Ada'), model });
    const second = await call(client, 'chat', {
      model,
      input: 'What is my name?',
      reasoning: 'off',
      previous_response_id: first.structured.response_id,
    });
    expect(second.structured.answer).toBe('Your name is Ada.');

    const found = await call(client, 'search_conversations', { search: 'my name ada' });
    expect(found.structured.conversations).toContainEqual(
      expect.objectContaining({ last_response_id: second.structured.response_id }),
    );

    const embedded = await call(client, 'embed', {
      model: 'hearth/starter-embed',
      texts: ['The sea is calm.', 'The sea.'],
    });
    expect(embedded.structured.vectors).toHaveLength(2);
    const documents = ['Bake bread in a oven.', 'The giant panda is a bear in China.'];
    const ranked = await call(client, 'rank', {
      model: rankModel,
      query: 'What is a panda?',
      documents,
      limit: 1,
    });
    expect(ranked.structured.results).toEqual([{ index: 1, relevance: expect.any(Number) }]);

    const script = { text: 'Speaker 1: Hello 😀\nSpeaker 2: Hi', output: 'json' };
    const formatted = await call(client, 'format_speech_script', script);
    expect(formatted.structured.script).toEqual([
      { speaker: 1, text: 'Hello' },
      { speaker: 2, text: 'Hi' },
    ]);
  });

  // covers mcp-server-4
  it('gets failures as results that a model can read', async () => {
    const client = await open();
    const unknown = await call(client, 'chat', { model: 'absent', input: 'Hello!' });
    expect(unknown).toMatchObject({ isError: true });
    expect(textOf(unknown)).toMatch(/"absent".*\(model_not_found\)$/);
    const invalid = await call(client, 'embed', { texts: [] });
    expect(invalid).toMatchObject({ isError: true });
    expect(textOf(invalid)).toMatch(/texts.*\(invalid_value\)$/);
    await expect(call(client, 'absent', {})).rejects.toThrow(/There is no tool "absent"/);
  });
});

// covers mcp-server-3
it('offers each token the tools that it may use', async () => {
  const chatting = await connect(overHttp('chat'));
  const { tools } = await chatting.listTools();
  expect(tools.map(({ name }) => name)).toEqual([
    'chat',
    'search_conversations',
    'format_speech_script',
  ]);
  const refused = await call(chatting, 'embed', { texts: ['Hello!'] });
  expect(textOf(refused)).toBe(
    'The tool embed needs a token with the permission "embeddings". (forbidden)',
  );
  const embedding = await connect(overHttp('embeddings'));
  const listed = (await embedding.listTools()).tools.map(({ name }) => name);
  expect(listed).toEqual(['embed', 'rank']);

  const message = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
  expect(await post(hearth.url, '/mcp', message, { headers: bearer('metrics') })).toMatchObject({
    status: 403,
    body: { id: null, error: { code: -32_000, data: { code: 'forbidden' } } },
  });
});

// covers mcp-server-3
it('searches and continues the conversations of the caller alone', async () => {
  const owner = await connect(overHttp('chat'));
  const input = 'A secret about mangoes';
  const secret = { model, input, temporary: false, max_output_tokens: 1 };
  const { structured } = await call(owner, 'chat', secret);
  const own = await call(owner, 'search_conversations', { search: 'mangoes' });
  expect(own.structured.conversations).toHaveLength(1);
  const other = await connect(overHttp('admin'));
  const foreign = await call(other, 'search_conversations', { search: 'mangoes' });
  expect(foreign.structured.conversations).toEqual([]);
  const continued = { model, input, previous_response_id: structured.response_id };
  expect(textOf(await call(other, 'chat', continued))).toMatch(/is not stored.*\(invalid_value\)$/);
});

// covers mcp-server-6
it('refuses batches, large bodies, other origins and other methods', async () => {
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
  expect(await post(hearth.url, '/mcp', [message])).toMatchObject({
    status: 400,
    body: { error: { code: -32_600 } },
  });
  const large = { ...message, params: { text: 'a'.repeat(4 * 1024 * 1024) } };
  expect(await post(hearth.url, '/mcp', large)).toMatchObject({
    status: 413,
    body: { error: { data: { code: 'body_too_large' } } },
  });
  const broken = await postRaw(hearth.url, '/mcp', '{');
  expect([broken.status, await broken.json()]).toMatchObject([400, { error: { code: -32_700 } }]);
  const foreign = { headers: { origin: 'http://attacker.example' } };
  expect(await post(hearth.url, '/mcp', message, foreign)).toMatchObject({ status: 403 });
  const reading = await get(hearth.url, '/mcp', { headers: { accept: 'text/event-stream' } });
  expect([reading.status, reading.headers.get('allow')]).toEqual([405, 'POST']);
});

// covers mcp-server-6
it('counts calls, and no other messages, against the limits of a token', async () => {
  const client = await connect(overHttp('limited'));
  await client.listTools();
  await client.listTools();
  const format = () => call(client, 'format_speech_script', { text: 'Hello' });
  expect(await format()).not.toHaveProperty('isError');
  expect(textOf(await format())).toMatch(
    /used its 1 requests per minute.*\(rate_limit_exceeded\)$/,
  );
});

// covers mcp-server-7
it('answers its own calls, but its chats call nothing', async () => {
  const headers = bearer('admin');
  const put = await post(
    hearth.url,
    '/api/v1/mcp/servers/hearth',
    { url: `${hearth.url}/mcp`, headers: { Authorization: headers.authorization } },
    { method: 'PUT', headers },
  );
  expect(put.status).toBe(200);
  const tool = (args: object) =>
    post(
      hearth.url,
      '/api/v1/mcp/servers/hearth/tools/chat',
      { arguments: { model, input: 'Hello!', ...args } },
      { headers },
    );
  const answered = await tool({});
  expect(answered.body).toMatchObject({ is_error: false });
  const nested = await tool({ integrations: ['mcp/hearth'] });
  expect(JSON.stringify(nested.body)).toMatch(/additional properties: integrations/);
});

const countCalls = async (state: string): Promise<number> => {
  const path = `/api/v1/requests?state=${state}`;
  const { body } = await get(hearth.url, path, { headers: bearer('admin') });
  return body.requests.filter((each: { path: string }) => each.path === '/mcp').length;
};

// covers mcp-server-5
it.each([
  ['Streamable HTTP of 2025', () => connect()],
  ['Streamable HTTP of 2026', () => connect(overHttp(), modern)],
  ['stdio of 2026', () => connect(overStdio(), modern)],
])('reports progress, and ends a call that its client cancels, over %s', async (_, open) => {
  const client = await open();
  const before = await countCalls('cancelled');
  const stopping = new AbortController();
  const steps: { progress: number; message?: string | undefined }[] = [];
  const running = client.callTool(
    { name: 'chat', arguments: { model: endlessModel, input: 'Hello!' } },
    {
      signal: stopping.signal,
      onprogress: (step) => {
        steps.push(step);
        if (/^(?:Answering|Reasoning)/.test(step.message ?? '')) stopping.abort();
      },
    },
  );
  await expect(running).rejects.toThrow(/abort/i);
  expect(steps.map(({ progress }) => progress)).toEqual(steps.map((__, index) => index + 1));
  await vi.waitFor(async () => expect(await countCalls('running')).toBe(0));
  expect(await countCalls('cancelled')).toBe(before + 1);
});

// covers mcp-server-2
it('says the next step if `hearth mcp serve` has no server or no token', async () => {
  const serve = (...commandLine: string[]) =>
    runHearth(['mcp', 'serve', ...commandLine], { home: hearth.home });
  expect(await serve('--host', 'http://127.0.0.1:9')).toMatchObject({
    exitCode: 1,
    stdout: '',
    stderr: expect.stringMatching(/`hearth serve`.*`hearth server start`/),
  });
  expect(await serve('--host', hearth.url, '--token', tokens['metrics'] ?? '')).toMatchObject({
    exitCode: 1,
    stdout: '',
    stderr: expect.stringContaining('The token lacks the permission'),
  });
});
