import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { useHearth } from '../setup/server/use-hearth.ts';
import { get, post, postRaw } from '../setup/server/api.ts';

/**
 * The requests of Zed, which no registry has, and what it parses of the answers. A field that it cannot parse fails the whole answer.
 *
 * @see https://github.com/zed-industries/zed/blob/04a889ce957d5a886e52e69e3849ca6b23c49a00/crates/lmstudio/src/lmstudio.rs
 * @see https://github.com/zed-industries/zed/blob/0043a496327f6706c52491c38ff7396f5094b1b9/crates/language_models/src/provider/lmstudio.rs
 * @see https://github.com/zed-industries/zed/blob/0138cb1c63e70671b469f131670824f27cc345df/crates/ollama/src/ollama.rs
 * @see https://github.com/zed-industries/zed/blob/0297fcd34fa2692bfd52aebb86bf65b5df0bb48e/crates/language_models/src/provider/ollama.rs
 * @see https://github.com/zed-industries/zed/blob/014676e49857c2b2fec5b57883880c1db05f1ca7/crates/open_ai/src/open_ai.rs
 * @see https://github.com/zed-industries/zed/blob/04b569a45e177e42a304d07b54d967b602a4832e/crates/open_ai/src/completion.rs
 */
const hearth = useHearth();
const model = 'hearth/starter-chat';
const result = '{"harbour": "Brest", "tide": "high"}';
const tools = [
  {
    type: 'function',
    function: {
      name: 'get_tide',
      description: 'Tide of a harbour',
      parameters: {
        type: 'object',
        properties: { harbour: { type: 'string' } },
        required: ['harbour'],
      },
    },
  },
];

const count = z.int().nonnegative();
const text = z.string().nullish();
const role = z.enum(['user', 'assistant', 'system', 'tool']).nullish();
const callChunk = z.object({
  index: count,
  id: text,
  function: z.object({ name: text, arguments: text }).nullish(),
});
const chunkSchema = z.object({
  created: count.max(2 ** 32 - 1),
  model: z.string(),
  object: z.string(),
  choices: z.array(
    z.object({
      index: count,
      delta: z.object({
        role,
        content: text,
        reasoning_content: text,
        tool_calls: z.array(callChunk).nullish(),
      }),
      finish_reason: text,
    }),
  ),
  usage: z
    .object({ prompt_tokens: count, completion_tokens: count, total_tokens: count })
    .nullish(),
});
const errorSchema = z.object({ error: z.object({ message: z.string() }) });

/** Reads lines like Zed, which ignores all lines except the ones that begin with "data: ". */
async function complete(path: string, request: object) {
  const response = await postRaw(hearth.url, path, JSON.stringify({ model, ...request }));
  const body = await response.text();
  expect(response.status, body).toBe(200);
  const lines = body.split('\n').flatMap((line) => {
    const [, data = '[DONE]'] = /^data: (.*)$/.exec(line) ?? [];
    return data === '[DONE]' ? [] : [chunkSchema.parse(JSON.parse(data))];
  });
  const deltas = lines.flatMap(({ choices }) => choices.map(({ delta }) => delta));
  const calls = deltas.flatMap((delta) => delta.tool_calls ?? []);
  return {
    content: deltas.map(({ content }) => content ?? '').join(''),
    call: {
      id: calls.find(({ id }) => id != null)?.id,
      type: 'function',
      function: {
        name: calls.map((call) => call.function?.name ?? '').join(''),
        arguments: calls.map((call) => call.function?.arguments ?? '').join(''),
      },
    },
    usages: lines.flatMap(({ usage }) => usage ?? []),
  };
}

describe.each([
  [
    'LM Studio',
    '/api/v0/chat/completions',
    { stream: true, max_tokens: -1, stop: [], temperature: 0 },
  ],
  [
    'servers with the API of OpenAI',
    '/v1/chat/completions',
    {
      stream: true,
      stream_options: { include_usage: true },
      temperature: 0,
      max_completion_tokens: 4096,
      parallel_tool_calls: false,
      prompt_cache_key: '4d3f2a8e-5a52-4a4e-9a1c-2f5f6f3c1b0a',
    },
  ],
])("Zed's provider for %s", (_, path, options) => {
  const user = { role: 'user', content: 'Get the tide of Brest' };
  const request = { ...options, tools, tool_choice: 'auto' };

  it('calls a tool, and answers from its result', async () => {
    const { call } = await complete(path, { ...request, messages: [user] });
    expect(call).toEqual({
      id: expect.any(String),
      type: 'function',
      function: { name: 'get_tide', arguments: '{"harbour": "Brest"}' },
    });
    const assistant = { role: 'assistant', content: null, tool_calls: [call] };
    const tool = { role: 'tool', content: result, tool_call_id: call.id };
    const { content, usages } = await complete(path, {
      ...request,
      messages: [user, assistant, tool],
    });
    expect(content).toContain('high');
    expect(usages).toHaveLength(1);
  });

  it('shows the message of an error', async () => {
    const { status, body } = await post(hearth.url, path, {
      ...request,
      model: 'nobody/nothing',
      messages: [user],
    });
    expect(status).toBe(404);
    expect(errorSchema.parse(body).error.message).toContain('nobody/nothing');
  });
});

it("lists the models for Zed's provider for LM Studio", async () => {
  const { body } = await get(hearth.url, '/api/v0/models');
  const { data } = z
    .object({
      data: z.array(
        z.object({
          id: z.string(),
          object: z.string(),
          type: z.enum(['llm', 'embeddings', 'vlm']),
          publisher: z.string(),
          arch: text,
          compatibility_type: z.enum(['gguf', 'mlx']),
          quantization: text,
          state: z.enum(['loaded', 'loading', 'not-loaded']),
          max_context_length: count.nullish(),
          loaded_context_length: count.nullish(),
          capabilities: z.array(z.string()).default([]),
        }),
      ),
    })
    .parse(body);
  expect(data).toContainEqual(
    expect.objectContaining({ id: model, type: 'llm', capabilities: ['tool_use'] }),
  );
});

describe("Zed's provider for Ollama", () => {
  const messageSchema = z.object({
    role: z.literal('assistant'),
    content: z.string(),
    tool_calls: z
      .array(z.object({ function: z.object({ name: z.string(), arguments: z.unknown() }) }))
      .nullish(),
    images: z.array(z.string()).nullish(),
    thinking: text,
  });
  const lineSchema = z.object({
    model: z.string(),
    created_at: z.string(),
    message: messageSchema,
    done_reason: text,
    done: z.boolean(),
    prompt_eval_count: count.nullish(),
    eval_count: count.nullish(),
  });
  const request = {
    model: `${model}:latest`,
    stream: true,
    keep_alive: -1,
    options: { num_ctx: 4096, num_predict: null, stop: [], temperature: 0, top_p: null },
    tools,
    think: true,
  };

  async function chat(messages: readonly object[]) {
    const response = await postRaw(
      hearth.url,
      '/api/chat',
      JSON.stringify({ ...request, messages }),
    );
    const body = await response.text();
    expect(response.status, body).toBe(200);
    const parts = body
      .replace(/\n$/, '')
      .split('\n')
      .map((line) => lineSchema.parse(JSON.parse(line)));
    return {
      content: parts.map(({ message }) => message.content).join(''),
      thinking: parts.map(({ message }) => message.thinking ?? '').join(''),
      calls: parts.flatMap(({ message }) => message.tool_calls ?? []),
      last: parts.at(-1),
    };
  }

  it('lists the models, and shows what each can', async () => {
    const { body } = await get(hearth.url, '/api/tags');
    const { models } = z
      .object({
        models: z.array(
          z.object({
            name: z.string(),
            modified_at: z.string(),
            size: count,
            digest: z.string(),
            details: z.object({
              format: z.string(),
              family: z.string(),
              families: z.array(z.string()).nullish(),
              parameter_size: z.string(),
              quantization_level: z.string(),
            }),
          }),
        ),
      })
      .parse(body);
    const capabilities = await Promise.all(
      // Zed recognizes embedding models by their names.
      models
        .filter(({ name }) => !name.includes('-embed'))
        .map(async ({ name }) => {
          const shown = await post(hearth.url, '/api/show', { model: name });
          const schema = z.object({ capabilities: z.array(z.string()) });
          return [name, schema.parse(shown.body).capabilities];
        }),
    );
    expect(Object.fromEntries(capabilities)).toEqual({
      'hearth/starter-chat:latest': expect.arrayContaining(['tools', 'thinking']),
      'hearth/starter-vision:latest': expect.arrayContaining(['vision']),
    });
  });

  it('calls a tool, and answers from its result', async () => {
    const user = { role: 'user', content: 'Get the tide of Brest' };
    const { calls, content, thinking } = await chat([user]);
    expect(calls).toMatchObject([{ function: { arguments: { harbour: 'Brest' } } }]);
    const assistant = { role: 'assistant', content, tool_calls: calls, thinking };
    const tool = { role: 'tool', tool_name: 'get_tide', content: result };
    const answer = await chat([user, assistant, tool]);
    expect(answer.content).toContain('high');
    expect(answer.last).toMatchObject({ done: true, eval_count: expect.any(Number) });
  });
});
