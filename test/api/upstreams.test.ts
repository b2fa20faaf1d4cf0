import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { startLlamaReplica, type LlamaReplica } from '../setup/engine/llama-replicas.ts';
import { get, post, stream } from '../setup/server/api.ts';
import { startHearth, type HearthProcess } from '../setup/server/hearth-process.ts';
import { useHearth } from '../setup/server/use-hearth.ts';
import { makeFolder, removeFolder } from '../setup/temporary-folder.ts';

/** Remote models: on two llama-server processes, and on another Hearth. */

let replicas: readonly LlamaReplica[] = [];
let backHome = '';
let back: HearthProcess | undefined;

const hearth = useHearth(async (home) => {
  backHome = await makeFolder();
  [replicas, back] = await Promise.all([
    Promise.all([startLlamaReplica('tiny'), startLlamaReplica('tiny')]),
    startHearth(backHome, {}),
  ]);
  const upstreams = {
    lab: { url: replicas.map(({ url }) => url), kind: 'llama-server', timeoutSeconds: 20 },
    back: {
      url: `${back.url}/v1`,
      models: {
        'hearth/starter-chat': { alias: 'team/chat', contextLength: 2048 },
        'hearth/starter-embed': { type: 'embeddings' },
        'hearth/starter-vision': { type: 'vlm' },
      },
    },
  };
  await writeFile(join(home, 'config.json'), JSON.stringify({ upstreams }));
});

afterAll(async () => {
  await back?.stop();
  await Promise.all(replicas.map((replica) => replica.kill()));
  await removeFolder(backHome);
});

const hello = (model: string) => ({ model, input: 'Hello!', temperature: 0 });

describe('remote models', () => {
  // covers server-5
  it('are in the lists beside the local ones', async () => {
    const { body } = await get(hearth.url, '/api/v1/models');
    const byKey = new Map(body.models.map((model: { readonly key: string }) => [model.key, model]));
    expect([...byKey.keys()]).toEqual([
      'back/hearth/starter-embed',
      'back/hearth/starter-vision',
      'hearth/starter-chat',
      'hearth/starter-embed',
      'hearth/starter-vision',
      'lab/tiny',
      'team/chat',
    ]);
    expect(byKey.get('lab/tiny')).toMatchObject({
      type: 'llm',
      publisher: 'lab',
      format: null,
      size_bytes: 0,
      max_context_length: 2048,
      quantization: null,
    });
    expect(byKey.get('team/chat')).toMatchObject({ publisher: 'back', max_context_length: 2048 });
    expect((await get(hearth.url, '/api/v0/models/lab/tiny')).body).toMatchObject({
      type: 'llm',
      compatibility_type: 'gguf',
      quantization: '',
      state: 'not-loaded',
    });
  });

  it('continue a conversation of a local one, and back', async () => {
    const first = await post(hearth.url, '/api/v1/chat', {
      model: 'hearth/starter-chat',
      input: 'My name is Ada.',
      temperature: 0,
      reasoning: 'off',
    });
    const second = await post(hearth.url, '/api/v1/chat', {
      model: 'lab/tiny',
      input: 'What is my name?',
      temperature: 0,
      reasoning: 'off',
      previous_response_id: first.body.response_id,
    });
    expect(second.status).toBe(200);
    expect(second.body.model_instance_id).toBe('lab/tiny');
    expect(second.body.output.at(-1).content).toContain('Ada');
    expect(second.body.stats).toMatchObject({ input_tokens: expect.any(Number) });
    const third = await post(hearth.url, '/api/v1/chat', {
      model: 'team/chat',
      input: 'What is my name?',
      temperature: 0,
      previous_response_id: second.body.response_id,
    });
    expect(third.body.output.at(-1).content).toContain('Ada');
  });

  // covers server-5
  it('stream typed events', async () => {
    const events = await stream(hearth.url, '/api/v1/chat', hello('lab/tiny'));
    expect(events[0]?.event).toBe('chat.start');
    const deltas = events.filter(({ event }) => event === 'message.delta');
    const text = deltas.map(({ data }) => JSON.parse(data).content).join('');
    const { result } = JSON.parse(events.at(-1)?.data ?? '{}');
    expect(result.output.at(-1).content).toBe(text);
    expect(result.stats.total_output_tokens).toBeGreaterThan(0);
  });

  it('answer on the apis of other vendors, with tools and structured output', async () => {
    const messages = [{ role: 'user', content: 'What is the tide in Brest?' }];
    const parameters = {
      type: 'object',
      properties: { harbour: { type: 'string' } },
      required: ['harbour'],
    };
    const called = await post(hearth.url, '/v1/chat/completions', {
      model: 'lab/tiny',
      messages,
      tools: [{ type: 'function', function: { name: 'get_tide', parameters } }],
      tool_choice: 'required',
      temperature: 0,
    });
    expect(called.body.choices[0].finish_reason).toBe('tool_calls');
    expect(called.body.choices[0].message.tool_calls[0].function.name).toBe('get_tide');
    const structured = await post(hearth.url, '/v1/chat/completions', {
      model: 'lab/tiny',
      messages: [{ role: 'user', content: 'A harbour, please.' }],
      response_format: {
        type: 'json_schema',
        json_schema: { name: 'harbour', schema: parameters },
      },
      max_tokens: 64,
    });
    expect(structured.status).toBe(200);
    const anthropic = await post(hearth.url, '/v1/messages', {
      model: 'team/chat',
      max_tokens: 128,
      messages: [{ role: 'user', content: 'Hello!' }],
    });
    expect(anthropic.body).toMatchObject({ type: 'message', content: [{ type: 'text' }] });
    const completion = await post(hearth.url, '/v1/completions', {
      model: 'lab/tiny',
      prompt: 'The capital of',
      max_tokens: 4,
    });
    expect(completion.body.choices[0].text.length).toBeGreaterThan(0);
  });

  it('name the stop string that ended an answer, with the usage until then', async () => {
    const { body } = await post(hearth.url, '/v1/messages', {
      model: 'lab/tiny',
      max_tokens: 64,
      temperature: 0,
      stop_sequences: ['help'],
      messages: [{ role: 'user', content: 'Hello!' }],
    });
    expect(body).toMatchObject({ stop_reason: 'stop_sequence', stop_sequence: 'help' });
    expect(body.content.at(-1).text).not.toContain('help');
    // A local model reads the same prompt.
    const local = await post(hearth.url, '/v1/messages/count_tokens', {
      model: 'hearth/starter-chat',
      messages: [{ role: 'user', content: 'Hello!' }],
    });
    const { input_tokens: read, cache_read_input_tokens: cached } = body.usage;
    expect(read + cached).toBe(local.body.input_tokens);
  });

  it('embed like the server itself', async () => {
    const request = { input: ['a boat', 'a ship'] };
    const remote = await post(hearth.url, '/v1/embeddings', {
      ...request,
      model: 'back/hearth/starter-embed',
    });
    const local = await post(hearth.url, '/v1/embeddings', {
      ...request,
      model: 'hearth/starter-embed',
    });
    const vectorOf = ({ body }: typeof local): readonly number[] => body.data[1].embedding;
    const products = vectorOf(remote).map((value, index) => value * (vectorOf(local)[index] ?? 0));
    expect(products.reduce((sum, product) => sum + product, 0)).toBeCloseTo(1, 3);
  });

  it('refuse what only an engine of this machine has', async () => {
    const load = await post(hearth.url, '/api/v1/models/load', { model: 'lab/tiny', parallel: 2 });
    expect(load.status).toBe(400);
    expect(load.body.error).toMatchObject({ code: 'invalid_value', param: 'parallel' });
    const loaded = await post(hearth.url, '/api/v1/models/load', {
      model: 'lab/tiny',
      echo_load_config: true,
    });
    expect(loaded.body.load_config).toEqual({ context_length: 2048, parallel: 128 });
    const deleted = await fetch(`${hearth.url}/api/v1/models/team%2Fchat`, { method: 'DELETE' });
    expect(deleted.status).toBe(409);
  });

  // covers server-5
  it('report errors of their server', async () => {
    const { status, body } = await post(hearth.url, '/api/v1/chat', {
      model: 'lab/tiny',
      input: 'word '.repeat(6000),
    });
    expect(status).toBe(400);
    expect(body.error).toMatchObject({ code: 'context_length_exceeded' });
  });

  it('continue on the other replica when one is killed', async () => {
    const ask = (number: number) =>
      post(hearth.url, '/api/v1/chat', {
        model: 'lab/tiny',
        input: `Hello, number ${number}!`,
        max_output_tokens: 16,
        store: false,
      });
    const before = await Promise.all(Array.from({ length: 8 }, (_, number) => ask(number)));
    expect(before.map(({ status }) => status)).toEqual(Array(8).fill(200));
    await replicas[0]?.kill();
    const after = await Promise.all(Array.from({ length: 8 }, (_, number) => ask(number)));
    expect(after.map(({ status }) => status)).toEqual(Array(8).fill(200));
    await replicas[1]?.kill();
    const gone = await ask(1);
    expect(gone.status).toBe(503);
    expect(gone.body.error).toMatchObject({ type: 'unavailable', code: 'upstream_unavailable' });
    expect(gone.headers.get('retry-after')).toMatch(/^\d+$/);
    const metrics = await (await fetch(`${hearth.url}/metrics`)).text();
    expect(metrics).toMatch(
      /hearth_upstream_requests_running\{upstream="lab",replica="http:\/\/127/,
    );
    // Local models are not affected.
    expect(
      (
        await post(hearth.url, '/api/v1/chat', {
          ...hello('hearth/starter-chat'),
          reasoning: 'off',
        })
      ).status,
    ).toBe(200);
  });
});

it('may not have the name of a local publisher', async () => {
  const home = await makeFolder();
  try {
    const upstreams = { hearth: { url: 'http://127.0.0.1:9/v1' } };
    await writeFile(join(home, 'config.json'), JSON.stringify({ upstreams }));
    await expect(startHearth(home, {})).rejects.toThrow(/publisher "hearth"/);
  } finally {
    await removeFolder(home);
  }
});
