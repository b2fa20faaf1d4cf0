import OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import {
  v0ChatChunkSchema,
  v0ChatResultSchema,
} from '../../src/api/openai/v0/chat-completion-schema.ts';
import { v0ModelListSchema } from '../../src/api/openai/v0/models.ts';
import {
  v0CompletionChunkSchema,
  v0CompletionResultSchema,
} from '../../src/api/openai/v0/text-completion-schema.ts';
import { get, post, stream } from '../setup/server/api.ts';
import { picture } from '../setup/models/picture.ts';
import { useHearth } from '../setup/server/use-hearth.ts';

const hearth = useHearth();

const chat = async (body: Record<string, unknown>) => {
  const answer = await post(hearth.url, '/api/v0/chat/completions', {
    model: 'hearth/starter-chat',
    temperature: 0,
    ...body,
  });
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return v0ChatResultSchema.parse(answer.body);
};
const user = (content: unknown) => [{ role: 'user', content }];

describe('v0 models', () => {
  // covers v0-model-2, v0-model-3, v0-model-6, v0-model-7, v0-model-8, v0-model-9
  it('lists the starter models and returns one, with its name encoded or not, with a variant or not', async () => {
    const list = v0ModelListSchema.parse((await get(hearth.url, '/api/v0/models')).body);
    expect(list.data.map(({ id, type }) => [id, type])).toEqual([
      ['hearth/starter-chat', 'llm'],
      ['hearth/starter-embed', 'embeddings'],
      ['hearth/starter-vision', 'vlm'],
    ]);
    const [first] = list.data;
    for (const name of [
      'hearth/starter-embed',
      'hearth%2Fstarter-embed',
      'hearth/starter-embed@q8_0',
      'starter-embed',
    ]) {
      const { body } = await get(hearth.url, `/api/v0/models/${name}`);
      expect(body).toMatchObject({
        id: 'hearth/starter-embed',
        object: 'model',
        state: 'not-loaded',
      });
    }
    expect(first).toMatchObject({
      object: 'model',
      created: expect.any(Number),
      owned_by: 'hearth',
      publisher: 'hearth',
      arch: 'llama',
      compatibility_type: 'gguf',
      quantization: 'Q8_0',
      max_context_length: 4096,
      capabilities: ['tool_use'],
    });
  });

  // covers v0-model-5
  it('reports which models are loaded, and with which context', async () => {
    await chat({ messages: user('Hello!') });
    const { body } = await get(hearth.url, '/api/v0/models/hearth/starter-chat');
    expect(body).toMatchObject({ state: 'loaded', loaded_context_length: 4096 });
  });
});

describe('v0 chat completions', () => {
  // covers service-2, v0-chat-3, v0-chat-4, v0-chat-5, v0-chat-8, v0-chat-11, v0-chat-22
  it('answers with statistics, model and runtime', async () => {
    const result = await chat({
      messages: [{ role: 'system', content: 'You are Bramble.' }, ...user('Who are you?')],
      max_tokens: -1,
    });
    const [choice] = result.choices;
    expect(choice?.message.content).toContain('Bramble');
    expect(choice?.finish_reason).toBe('stop');
    expect(result.stats.stop_reason).toBe('eosFound');
    expect(result.usage.total_tokens).toBe(
      result.usage.prompt_tokens + result.usage.completion_tokens,
    );
    expect(result.model_info).toEqual({
      arch: 'llama',
      quant: 'Q8_0',
      format: 'gguf',
      context_length: 4096,
    });
    expect(result.runtime.name).toMatch(/^llama\.cpp-/);
    expect(result.runtime.supported_formats).toEqual(['gguf']);
  });

  // covers v0-chat-9, v0-chat-10
  it.each([
    ['max_tokens', { max_tokens: 3 }, 'length', 'maxPredictedTokensReached'],
    ['a stop string', { stop: '7' }, 'stop', 'stopStringFound'],
    ['a list of stop strings', { stop: ['6', '8'] }, 'stop', 'stopStringFound'],
  ])('stops at %s', async (_, more, finishReason, stopReason) => {
    const result = await chat({ messages: user('Count from 3 to 9.'), ...more });
    expect(result.choices[0]?.finish_reason).toBe(finishReason);
    expect(result.stats.stop_reason).toBe(stopReason);
  });

  // covers v0-chat-8, v0-chat-12
  it('stops if the context is full', async () => {
    await post(hearth.url, '/api/v1/models/load', {
      model: 'hearth/starter-chat',
      context_length: 256,
      parallel: 1,
    });
    const result = await chat({
      model: 'hearth/starter-chat:2',
      messages: user('Tell me a story'),
    });
    expect(result.choices[0]?.finish_reason).toBe('length');
    expect(result.stats.stop_reason).toBe('contextLengthReached');
    await post(hearth.url, '/api/v1/models/unload', { instance_id: 'hearth/starter-chat:2' });
  });

  // covers v0-chat-24, v0-chat-25
  it('streams chunks that add up to the whole, then the report, then [DONE]', async () => {
    const request = { messages: user('Count from 3 to 9.') };
    const whole = await chat(request);
    const events = await stream(hearth.url, '/api/v0/chat/completions', {
      model: 'hearth/starter-chat',
      temperature: 0,
      ...request,
    });
    expect(events.at(-1)?.data).toBe('[DONE]');
    const chunks = events.slice(0, -1).map(({ data }) => v0ChatChunkSchema.parse(JSON.parse(data)));
    const content = chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('');
    expect(content).toBe(whole.choices[0]?.message.content);
    expect(chunks[0]?.choices[0]?.delta.role).toBe('assistant');
    expect(chunks.at(-1)).toMatchObject({
      choices: [{ delta: {}, finish_reason: 'stop' }],
      usage: whole.usage,
      stats: { stop_reason: 'eosFound' },
      model_info: whole.model_info,
      runtime: whole.runtime,
    });
    expect(new Set(chunks.map(({ id }) => id)).size).toBe(1);
    // Clients add up the usage of all chunks.
    expect(chunks.filter(({ usage }) => usage !== undefined)).toHaveLength(1);
    const counted = await stream(hearth.url, '/api/v0/chat/completions', {
      model: 'hearth/starter-chat',
      temperature: 0,
      ...request,
      stream_options: { include_usage: true },
    });
    expect(counted.filter(({ data }) => data.includes('"usage"'))).toHaveLength(1);
    expect(JSON.parse(counted.at(-2)?.data ?? '')).toMatchObject({
      choices: [{ finish_reason: 'stop' }],
      usage: whole.usage,
    });
  });

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

  // covers v0-chat-18, v1-integration-15
  it('makes no call with the choice "none", and shows no markup of one', async () => {
    const { choices } = await chat({
      messages: user('Get the tide of Brest'),
      tools,
      tool_choice: 'none',
      max_tokens: 100,
    });
    expect(choices[0]?.message.tool_calls).toBeUndefined();
    expect(choices[0]?.message.content).not.toContain('tool_call');
    expect(choices[0]?.finish_reason).not.toBe('tool_calls');
  });

  // covers v0-chat-19
  it.each(['required', { type: 'function', function: { name: 'get_tide' } }])(
    'always calls a tool with the choice %j',
    async (choice) => {
      const { choices } = await chat({
        messages: user('Who are you?'),
        tools,
        tool_choice: choice,
      });
      const [call] = choices[0]?.message.tool_calls ?? [];
      expect(call?.function.name).toBe('get_tide');
      expect(JSON.parse(call?.function.arguments ?? '')).toEqual({ harbour: expect.any(String) });
      expect(choices[0]).toMatchObject({ finish_reason: 'tool_calls', message: { content: '' } });
    },
  );

  // covers v0-chat-13, v0-chat-17, v0-chat-22
  it('calls a tool, and answers from its result', async () => {
    const messages: unknown[] = user('Get the tide of Brest');
    const first = await chat({ messages, tools });
    expect(first.choices[0]?.finish_reason).toBe('tool_calls');
    expect(first.stats.stop_reason).toBe('toolCalls');
    const [call] = first.choices[0]?.message.tool_calls ?? [];
    expect(call?.function.name).toBe('get_tide');
    expect(JSON.parse(call?.function.arguments ?? '')).toEqual({ harbour: 'Brest' });
    const second = await chat({
      tools,
      messages: [
        ...messages,
        first.choices[0]?.message,
        { role: 'tool', tool_call_id: call?.id, content: '{"tide": "high"}' },
      ],
    });
    expect(second.choices[0]?.message.content).toContain('high');
  });

  // covers v0-chat-16
  it('follows a JSON schema', async () => {
    const schema = {
      type: 'object',
      properties: { answer: { type: 'integer' } },
      required: ['answer'],
      additionalProperties: false,
    };
    const result = await chat({
      messages: user('What is 2 + 3?'),
      response_format: { type: 'json_schema', json_schema: { name: 'sum', schema } },
    });
    expect(JSON.parse(result.choices[0]?.message.content ?? '')).toEqual({
      answer: expect.any(Number),
    });
  });

  // covers v0-chat-21
  it('describes an image', async () => {
    const result = await chat({
      model: 'hearth/starter-vision',
      messages: user([
        { type: 'text', text: 'What colour is the picture?' },
        { type: 'image_url', image_url: { url: await picture('red') } },
      ]),
    });
    expect(result.choices[0]?.message.content.toLowerCase()).toContain('red');
  });

  // covers v0-chat-29
  it('returns log probabilities', async () => {
    const result = await chat({
      messages: user('Hello!'),
      logprobs: true,
      top_logprobs: 2,
      max_tokens: 50,
    });
    const content = result.choices[0]?.logprobs?.content ?? [];
    expect(content.length).toBeGreaterThan(0);
    expect(content[0]).toMatchObject({ token: expect.any(String), logprob: expect.any(Number) });
  });

  // covers v0-chat-23
  it('uses the only loaded model if none is named', async () => {
    await post(hearth.url, '/api/v1/models/unload', { instance_id: 'hearth/starter-vision' });
    const result = await chat({ model: '', messages: user('Hello!') });
    expect(result.model).toBe('hearth/starter-chat');
  });

  it('serves the official OpenAI client, which always sends a key', async () => {
    const client = new OpenAI({ baseURL: `${hearth.url}/api/v0`, apiKey: 'any-word' });
    const chunks = await client.chat.completions.create({
      model: 'hearth/starter-chat',
      messages: [{ role: 'user', content: 'What is the capital of France?' }],
      temperature: 0,
      stream: true,
    });
    let content = '';
    for await (const chunk of chunks) content += chunk.choices[0]?.delta.content ?? '';
    expect(content).toContain('Paris');
  });
});

describe('v0 completions', () => {
  const complete = async (body: Record<string, unknown>) => {
    const answer = await post(hearth.url, '/api/v0/completions', {
      model: 'hearth/starter-chat',
      temperature: 0,
      ...body,
    });
    expect(answer.status, JSON.stringify(answer.body)).toBe(200);
    return v0CompletionResultSchema.parse(answer.body);
  };
  const prompt =
    '<|im_start|>user\nCount from 3 to 9.<|im_end|>\n<|im_start|>assistant\n<think>\n\n</think>\n\n';

  // covers service-2, v0-completion-2, v0-completion-3, v0-completion-5
  it('continues a raw prompt, echoing it if asked to', async () => {
    const plain = await complete({ prompt, max_tokens: 5 });
    expect(plain.choices[0]?.text).toMatch(/^3, 4/);
    expect(plain.choices[0]?.finish_reason).toBe('length');
    expect(plain.stats.stop_reason).toBe('maxPredictedTokensReached');
    const echoed = await complete({ prompt, max_tokens: 5, echo: true });
    expect(echoed.choices[0]?.text).toBe(prompt + plain.choices[0]?.text);
  });

  // covers v0-completion-4
  it('stops at a stop string', async () => {
    const result = await complete({ prompt, stop: '6' });
    expect(result.choices[0]).toMatchObject({ text: '3, 4, 5, ', finish_reason: 'stop' });
    expect(result.stats.stop_reason).toBe('stopStringFound');
  });

  // covers v0-completion-7
  it('streams', async () => {
    const whole = await complete({ prompt });
    const events = await stream(hearth.url, '/api/v0/completions', {
      model: 'hearth/starter-chat',
      temperature: 0,
      prompt,
    });
    expect(events.at(-1)?.data).toBe('[DONE]');
    const chunks = events
      .slice(0, -1)
      .map(({ data }) => v0CompletionChunkSchema.parse(JSON.parse(data)));
    expect(chunks.map(({ choices }) => choices[0]?.text ?? '').join('')).toBe(
      whole.choices[0]?.text,
    );
    expect(chunks.at(-1)).toMatchObject({
      choices: [{ text: '', finish_reason: 'stop' }],
      usage: whole.usage,
    });
  });
});
