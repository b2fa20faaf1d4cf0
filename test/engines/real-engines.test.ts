import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { addHarbour, type Harbour } from '../setup/mcp/harbour.ts';
import { picture } from '../setup/models/picture.ts';
import { realEngines } from '../setup/real-engines/engines.ts';
import type { Ability, RealEngine, RunningEngine } from '../setup/real-engines/real-engine.ts';
import { get, post, stream, type ApiAnswer } from '../setup/server/api.ts';
import { useHearth } from '../setup/server/use-hearth.ts';

/**
 * Widely used servers behind Hearth. The names of the tests are rows of the table in
 * docs/contributing/engines-tested.md.
 */

const key = 'a-key-of-this-test';
const typesOfOthers: Readonly<Record<string, string>> = {
  embeddings: 'embeddings',
  rerank: 'reranker',
  images: 'vlm',
};

const available: [title: string, engine: RealEngine][] = [];
// Runs one engine after the other, since two of them share an environment.
for (const engine of realEngines) {
  const installed = await engine.install();
  if ('version' in installed) available.push([`${engine.name} ${installed.version}`, engine]);
  else console.error(`\n!! ${engine.name} is SKIPPED: ${installed.missing}\n`);
}

describe.each(available)('%s', (_title, engine) => {
  let running: RunningEngine | undefined;
  let place: Harbour | undefined;
  let model = '';
  const server = (): RunningEngine => {
    if (running === undefined) throw new Error('The engine starts before the first test.');
    return running;
  };

  const hearth = useHearth(async (home) => {
    running = await engine.start(key);
    await writeFile(join(home, 'lab.key'), key);
    await writeFile(join(home, 'wrong.key'), 'wrong');
    const shared = { kind: engine.kind, url: running.url, timeoutSeconds: 60 };
    const upstreams = {
      lab: { ...shared, ...engine.settings, keyFile: 'lab.key' },
      locked: {
        ...shared,
        keyFile: 'wrong.key',
        models: { [engine.modelId]: { alias: 'locked' } },
      },
      pair: {
        ...shared,
        keyFile: 'lab.key',
        url: ['http://127.0.0.1:9/v1', running.url],
        models: { [engine.modelId]: { alias: 'pair', contextLength: 2048 } },
      },
      impatient: {
        ...shared,
        keyFile: 'lab.key',
        timeoutSeconds: 2,
        models: { [engine.modelId]: { alias: 'impatient', contextLength: 2048 } },
      },
    };
    const { others = {} } = running;
    const ofOthers = Object.fromEntries(
      Object.entries(others).map(([name, { url, modelId }]) => [
        name,
        {
          ...shared,
          url,
          keyFile: 'lab.key',
          models: { [modelId]: { alias: name, type: typesOfOthers[name] } },
        },
      ]),
    );
    await writeFile(
      join(home, 'config.json'),
      JSON.stringify({ upstreams: { ...upstreams, ...ofOthers } }),
    );
    place = await addHarbour(home, {});
    return { flags: ['--mcp-allow-plugins'] };
  });
  afterAll(() => running?.kill());

  const lacks = (ability: Ability): boolean => engine.lacks[ability] !== undefined;
  const chat = (input: string | readonly object[], more: object = {}) =>
    post(hearth.url, '/api/v1/chat', {
      model,
      input,
      temperature: 0,
      max_output_tokens: 60,
      ...more,
    });
  const textOf = ({ body }: ApiAnswer): string =>
    body.output.map((item: { readonly content?: string }) => item.content ?? '').join('');
  const complete = (body: object) =>
    post(hearth.url, '/v1/chat/completions', { model, temperature: 0, max_tokens: 80, ...body });

  it('list of models', async () => {
    const { body } = await get(hearth.url, '/api/v1/models');
    const found = body.models.find(
      ({ key: listed, type }: { readonly key: string; readonly type: string }) =>
        (listed.startsWith('lab/') && type === 'llm') || listed === 'starter',
    );
    expect(found, JSON.stringify(body.models)).toBeDefined();
    model = found.key;
    expect(found).toMatchObject({ type: 'llm', format: null, size_bytes: 0 });
    expect(found.max_context_length).toBe(engine.contextLength);
  });

  it('conversations with branches', async () => {
    const first = await chat('My name is Ada.', { reasoning: undefined });
    expect(first.status, JSON.stringify(first.body)).toBe(200);
    const previous = { previous_response_id: first.body.response_id };
    const second = await chat('What is my name?', previous);
    expect(textOf(second)).toContain('Ada');
    const branch = await chat('Count from 3 to 5.', previous);
    expect(textOf(branch)).toContain('4');
  });

  it('typed streams', async () => {
    const events = await stream(hearth.url, '/api/v1/chat', {
      model,
      input: 'Hello!',
      temperature: 0,
      max_output_tokens: 60,
    });
    expect(events[0]?.event).toBe('chat.start');
    const deltas = events.filter(({ event }) => event === 'message.delta');
    expect(deltas.length).toBeGreaterThan(0);
    const text = deltas.map(({ data }) => JSON.parse(data).content).join('');
    const { result } = JSON.parse(events.at(-1)?.data ?? '{}');
    expect(result.output.at(-1).content).toBe(text);
    expect(result.stats.total_output_tokens).toBeGreaterThan(0);
    expect(result.stats.input_tokens).toBeGreaterThan(0);
  });

  it.skipIf(lacks('reasoning'))('reasoning', async () => {
    const { body } = await chat('What is the capital of France?', {
      reasoning: 'on',
      max_output_tokens: 200,
    });
    expect(body.output?.[0], JSON.stringify(body)).toMatchObject({ type: 'reasoning' });
    expect(body.output.at(-1)).toMatchObject({ type: 'message' });
    expect(body.output.at(-1).content).toContain('Paris');
    expect(JSON.stringify(body.output)).not.toContain('<think>');
  });

  const parameters = {
    type: 'object',
    properties: { city: { type: 'string' } },
    required: ['city'],
  };
  const tools = [
    {
      type: 'function',
      function: { name: 'get_weather', description: 'Weather of a city', parameters },
    },
  ];
  const messages = [{ role: 'user', content: 'What is the weather in Lisbon?' }];

  it.skipIf(lacks('tools'))('tools', async () => {
    const { body } = await complete({ messages, tools });
    expect(body.choices?.[0].finish_reason, JSON.stringify(body)).toBe('tool_calls');
    const [call] = body.choices[0].message.tool_calls;
    expect(call.function.name).toBe('get_weather');
    expect(JSON.parse(call.function.arguments)).toEqual({ city: 'Lisbon' });
    const after = await complete({
      messages: [
        ...messages,
        body.choices[0].message,
        { role: 'tool', tool_call_id: call.id, content: '{"temperature": "14"}' },
      ],
      tools,
    });
    expect(after.body.choices[0].message.content).toContain('14');
  });

  it.skipIf(lacks('forced tool call'))('forced tool call', async () => {
    const { body } = await complete({ messages, tools, tool_choice: 'required' });
    expect(body.choices?.[0].message.tool_calls?.[0].function.name, JSON.stringify(body)).toBe(
      'get_weather',
    );
  });

  it.skipIf(lacks('tools of MCP servers'))('tools of MCP servers', async () => {
    const headers = await place?.bearer('chat', 'plugins');
    const { body } = await post(
      hearth.url,
      '/api/v1/chat',
      {
        model,
        input: 'What is the weather in Lisbon?',
        integrations: ['mcp/harbour'],
        temperature: 0,
        max_output_tokens: 80,
      },
      { headers: headers ?? {} },
    );
    const calls = body.output?.filter(
      ({ type }: { readonly type: string }) => type === 'tool_call',
    );
    expect(calls, JSON.stringify(body)).toMatchObject([{ tool: 'get_weather' }]);
  });

  it.skipIf(lacks('structured output'))('structured output', async () => {
    const { body } = await complete({
      messages: [{ role: 'user', content: 'A city, please.' }],
      response_format: {
        type: 'json_schema',
        json_schema: {
          name: 'city',
          strict: true,
          schema: { ...parameters, additionalProperties: false },
        },
      },
    });
    expect(body.choices?.[0].message.content, JSON.stringify(body)).toMatch(/^\s*\{\s*"city"/);
  });

  it.skipIf(lacks('stop strings'))('stop strings', async () => {
    const { body } = await post(hearth.url, '/v1/messages', {
      model,
      max_tokens: 64,
      temperature: 0,
      stop_sequences: ['help'],
      messages: [{ role: 'user', content: 'Hello!' }],
    });
    expect(body, JSON.stringify(body)).toMatchObject({
      stop_reason: 'stop_sequence',
      stop_sequence: 'help',
    });
    expect(JSON.stringify(body.content)).not.toContain('help');
  });

  it.skipIf(lacks('log probabilities'))('log probabilities', async () => {
    const { body } = await complete({
      messages: [{ role: 'user', content: 'Hello!' }],
      logprobs: true,
      top_logprobs: 2,
    });
    const [first] = body.choices?.[0].logprobs?.content ?? [];
    expect(first, JSON.stringify(body)).toMatchObject({ logprob: expect.any(Number) });
    expect(first.top_logprobs).toHaveLength(2);
  });

  it.skipIf(lacks('text completions'))('text completions', async () => {
    const { body } = await post(hearth.url, '/v1/completions', {
      model,
      prompt: 'The capital of',
      max_tokens: 4,
    });
    expect(body.choices?.[0].text.length, JSON.stringify(body)).toBeGreaterThan(0);
  });

  it.skipIf(lacks('embeddings'))('embeddings', async () => {
    const input = ['The ship is in the harbor.', 'A ship lies in a harbor.', 'Bake bread at noon.'];
    const { body } = await post(hearth.url, '/v1/embeddings', { model: 'embeddings', input });
    expect(body.data, JSON.stringify(body)).toHaveLength(3);
    const vectors = body.data.map(({ embedding }: { readonly embedding: number[] }) => embedding);
    const [first = [], second = []] = vectors as readonly (readonly number[])[];
    expect(first.length).toBeGreaterThan(16);
    expect(second).toHaveLength(first.length);
    expect(first).not.toEqual(second);
    expect(body.usage.prompt_tokens).toBeGreaterThan(10);
  });

  it.skipIf(lacks('rerank'))('rerank', async () => {
    const documents = ['Bake bread in a oven.', 'The giant panda is a bear in China.'];
    const request = { model: 'rerank', query: 'What is a panda?', documents };
    const { body } = await post(hearth.url, '/v1/rerank', request);
    expect(body.results, JSON.stringify(body)).toMatchObject([{ index: 1 }, { index: 0 }]);
    const [best, worst] = body.results;
    expect(best.relevance_score).toBeLessThanOrEqual(1);
    expect(worst.relevance_score).toBeGreaterThanOrEqual(0);
  });

  it.skipIf(lacks('images'))('images', async () => {
    const { status, body } = await chat(
      [
        { type: 'text', content: 'What is in the picture?' },
        { type: 'image', data_url: await picture('red') },
      ],
      { model: 'images' },
    );
    expect(status, JSON.stringify(body)).toBe(200);
    expect(body.output.at(-1).content.length).toBeGreaterThan(0);
    expect(body.stats.input_tokens).toBeGreaterThan(16);
  });

  it.skipIf(lacks('cached prompts'))('cached prompts', async () => {
    const system = { role: 'system', content: 'You are the keeper of a harbor. '.repeat(80) };
    const ask = (content: string) => complete({ messages: [system, { role: 'user', content }] });
    const cachedOf = ({ body }: ApiAnswer) => body.usage.prompt_tokens_details.cached_tokens;
    await ask('Hello!');
    expect(cachedOf(await ask('What is your name?'))).toBeGreaterThan(100);
  });

  it.skipIf(lacks('context overflow'))('context overflow', async () => {
    const { status, body } = await chat('word '.repeat(6000));
    expect(status, JSON.stringify(body)).toBe(400);
    expect(body.error).toMatchObject({ code: 'context_length_exceeded' });
    const after = await chat('Hello!');
    expect(after.status).toBe(200);
  });

  it.skipIf(lacks('counted prompts'))('counted prompts', async () => {
    const request = { model, messages: [{ role: 'user', content: 'My name is Ada.' }] };
    const counted = await post(hearth.url, '/v1/messages/count_tokens', request);
    const { body } = await post(hearth.url, '/v1/messages', { ...request, max_tokens: 8 });
    const { input_tokens: read, cache_read_input_tokens: cached = 0 } = body.usage;
    expect(counted.body.input_tokens).toBe(read + cached);
  });

  it.skipIf(lacks('keys'))('keys', async () => {
    const { status, body } = await post(hearth.url, '/api/v1/chat', {
      model: 'locked',
      input: 'Hi',
    });
    expect(status).toBe(502);
    expect(body.error).toMatchObject({
      code: 'upstream_error',
      message: '"locked" refuses the key of its settings.',
    });
  });

  it('abort', async () => {
    const leaving = new AbortController();
    const response = await fetch(`${hearth.url}/api/v1/chat`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model, input: 'Tell me a story', stream: true }),
      signal: leaving.signal,
    });
    await response.body?.getReader().read();
    leaving.abort();
    const requestsOf = async () => {
      const { body } = await get(hearth.url, '/metrics');
      return /^hearth_upstream_requests_running\{upstream="lab".*\} (\d+)$/mu.exec(body)?.[1];
    };
    await expect.poll(requestsOf, { timeout: 30_000 }).toBe('0');
    await expect
      .poll(async () => (await server().runningRequests()) ?? 0, { timeout: 30_000 })
      .toBe(0);
  });

  it('failover', async () => {
    const answers = await Promise.all(
      ['one', 'two', 'three', 'four'].map((word) =>
        chat(`Repeat after me: ${word}`, { model: 'pair', store: false }),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  });

  it('silence', async () => {
    server().pause();
    const { status, body } = await chat('Hello!', { model: 'impatient' });
    server().resume();
    expect(status, JSON.stringify(body)).toBe(502);
    expect(body.error.message).toContain('upstreams.impatient.timeoutSeconds');
    const again = await chat('Hello!', { max_output_tokens: 8 });
    expect(again.status, JSON.stringify(again.body)).toBe(200);
  });

  it('kill during an answer', async () => {
    const response = await fetch(`${hearth.url}/api/v1/chat`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model, input: 'Tell me a story', temperature: 0, stream: true }),
    });
    const reader = response.body?.getReader();
    const decoder = new TextDecoder();
    let text = '';
    while (!text.includes('message.delta')) {
      text += decoder.decode((await reader?.read())?.value, { stream: true });
    }
    await server().kill();
    for (let read = await reader?.read(); read?.done === false; read = await reader?.read()) {
      text += decoder.decode(read.value, { stream: true });
    }
    // The starter model may have finished its story before.
    expect(text).toMatch(/"stats"|upstream_error/);
    const { status, body } = await chat('Hello!');
    expect(status).toBe(503);
    expect(body.error).toMatchObject({ code: 'upstream_unavailable' });
  });
});
