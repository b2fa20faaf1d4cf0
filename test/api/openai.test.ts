import OpenAI, { BadRequestError, NotFoundError, type ClientOptions } from 'openai';
import type { ChatCompletionMessageParam } from 'openai/resources/chat/completions';
import { describe, expect, it } from 'vitest';
import {
  openAiChatChunkSchema,
  openAiChatCompletionSchema,
} from '../../src/api/openai/chat/chat-completion-schema.ts';
import { picture } from '../setup/models/picture.ts';
import { get, post, stream } from '../setup/server/api.ts';
import { useHearth } from '../setup/server/use-hearth.ts';

const hearth = useHearth();

const model = 'hearth/starter-chat';
const connect = (options: ClientOptions = {}) =>
  new OpenAI({ baseURL: `${hearth.url}/v1`, apiKey: 'any-word', maxRetries: 0, ...options });
const user = (content: string): ChatCompletionMessageParam => ({ role: 'user', content });

const tideTool = {
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
} as const;
const windTool = {
  type: 'function',
  function: { name: 'get_wind', parameters: { type: 'object', properties: {} } },
} as const;

describe('OpenAI models', () => {
  // covers api-1
  it('are listed and shown', async () => {
    const client = connect();
    const ids: string[] = [];
    for await (const each of client.models.list()) ids.push(each.id);
    expect(ids).toEqual(['hearth/starter-chat', 'hearth/starter-embed', 'hearth/starter-vision']);
    expect(await client.models.retrieve(model)).toMatchObject({
      id: model,
      object: 'model',
      owned_by: 'hearth',
    });
    const failure = client.models.retrieve('nobody/nothing');
    await expect(failure).rejects.toBeInstanceOf(NotFoundError);
    await expect(failure).rejects.toMatchObject({
      code: 'model_not_found',
      type: 'invalid_request_error',
    });
  });
});

describe('OpenAI chat completions', () => {
  // covers api-1
  it('answer whole, with the usage and the name of the request', async () => {
    const completion = await connect().chat.completions.create({
      model: 'starter-chat',
      messages: [{ role: 'developer', content: 'You are Bramble.' }, user('Who are you?')],
      temperature: 0,
    });
    openAiChatCompletionSchema.parse(completion);
    expect(completion.model).toBe('starter-chat');
    expect(completion.choices).toMatchObject([{ finish_reason: 'stop', index: 0 }]);
    expect(completion.choices[0]?.message.content).toContain('Bramble');
    const { usage } = completion;
    expect(usage?.total_tokens).toBe((usage?.prompt_tokens ?? 0) + (usage?.completion_tokens ?? 0));
    expect(usage?.prompt_tokens_details?.cached_tokens).toBeTypeOf('number');
    expect(usage?.completion_tokens_details?.reasoning_tokens).toBeTypeOf('number');
  });

  it('stream deltas, with the usage once if requested', async () => {
    const request = { model, messages: [user('Count from 3 to 9.')], temperature: 0 };
    const whole = await connect().chat.completions.create(request);
    const chunks = [];
    for await (const chunk of await connect().chat.completions.create({
      ...request,
      stream: true,
      stream_options: { include_usage: true },
    })) {
      chunks.push(openAiChatChunkSchema.parse(chunk));
    }
    const text = chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('');
    expect(text).toBe(whole.choices[0]?.message.content);
    expect(chunks.filter(({ usage }) => usage != null)).toHaveLength(1);
    expect(chunks.at(-1)).toMatchObject({
      choices: [],
      usage: { completion_tokens: whole.usage?.completion_tokens },
    });
    const events = await stream(hearth.url, '/v1/chat/completions', request);
    expect(events.at(-1)?.data).toBe('[DONE]');
    expect(events.map(({ data }) => data).join('')).not.toContain('"usage"');
  });

  it('call a tool and answer from its result, streamed through the helper of the client too', async () => {
    const request = { model, temperature: 0, tools: [tideTool] };
    const messages = [user('Get the tide of Brest')];
    const first = await connect().chat.completions.create({ ...request, messages });
    expect(first.choices[0]?.finish_reason).toBe('tool_calls');
    const runner = connect().chat.completions.stream({ ...request, messages });
    const streamed = await runner.finalChatCompletion();
    const call = first.choices[0]?.message.tool_calls?.[0];
    const streamedCall = streamed.choices[0]?.message.tool_calls?.[0];
    if (call?.type !== 'function' || streamedCall?.type !== 'function') throw new Error('no call');
    expect(JSON.parse(call.function.arguments)).toEqual({ harbour: 'Brest' });
    expect(streamedCall.function).toMatchObject(call.function);
    const second = await connect().chat.completions.create({
      ...request,
      messages: [
        ...messages,
        { role: 'assistant', tool_calls: [call] },
        { role: 'tool', tool_call_id: call.id, content: '{"tide": "high"}' },
      ],
    });
    expect(second.choices[0]?.message.content).toContain('high');
  });

  it('obey every form of tool_choice', async () => {
    const called = async (
      choice: OpenAI.ChatCompletionToolChoiceOption,
      content = 'Hello!',
      tools: OpenAI.ChatCompletionTool[] = [tideTool, windTool],
    ) => {
      const { choices } = await connect().chat.completions.create({
        model,
        temperature: 0,
        max_tokens: 60,
        reasoning_effort: 'none',
        messages: [user(content)],
        tools,
        tool_choice: choice,
        parallel_tool_calls: false,
      });
      return choices[0]?.message.tool_calls?.map((each) =>
        each.type === 'function' ? each.function.name : each.type,
      );
    };
    expect(await called('none', 'Get the tide of Brest')).toBeUndefined();
    expect(await called('auto', 'Get the tide of Brest', [tideTool])).toEqual(['get_tide']);
    expect(await called('required')).toHaveLength(1);
    const wind = { type: 'function', function: { name: 'get_wind' } } as const;
    expect(await called(wind)).toEqual(['get_wind']);
    const allowed = { mode: 'required', tools: [wind] } as const;
    expect(
      await called({
        type: 'allowed_tools',
        allowed_tools: { ...allowed, tools: [{ ...wind }] },
      }),
    ).toEqual(['get_wind']);
  });

  it('obey a JSON schema', async () => {
    const completion = await connect().chat.completions.parse({
      model,
      messages: [user('What is 2 + 3?')],
      temperature: 0,
      response_format: {
        type: 'json_schema',
        json_schema: {
          name: 'sum',
          strict: true,
          schema: {
            type: 'object',
            properties: { answer: { type: 'integer' } },
            required: ['answer'],
            additionalProperties: false,
          },
        },
      },
    });
    expect(completion.choices[0]?.message.parsed).toEqual({ answer: expect.any(Number) });
  });

  it.each(['response_format', 'json_schema', 'guided_json', 'structured_outputs'])(
    'obey a schema in `%s`, as servers with the API of OpenAI take it',
    async (field) => {
      const schema = {
        type: 'object',
        properties: { answer: { type: 'integer' } },
        required: ['answer'],
      };
      const fields: Readonly<Record<string, object>> = {
        response_format: { type: 'json_object', schema },
        structured_outputs: { json: schema },
      };
      const { body } = await post(hearth.url, '/v1/chat/completions', {
        model,
        messages: [user('What is 2 + 3?')],
        temperature: 0,
        [field]: fields[field] ?? schema,
      });
      expect(JSON.parse(body.choices[0].message.content)).toEqual({ answer: expect.any(Number) });
    },
  );

  it('see a picture, and refuse one behind an address', async () => {
    const look = async (url: string) =>
      connect().chat.completions.create({
        model: 'hearth/starter-vision',
        temperature: 0,
        messages: [
          {
            role: 'user',
            content: [
              { type: 'text', text: 'What colour is the picture?' },
              { type: 'image_url', image_url: { url } },
            ],
          },
        ],
      });
    const { choices } = await look(await picture('red'));
    expect(choices[0]?.message.content?.toLowerCase()).toContain('red');
    await expect(look('https://example.com/red.png')).rejects.toMatchObject({
      status: 400,
      code: 'invalid_image',
      param: 'messages[0].content[1].image_url',
    });
  });

  it('generate several choices on one prompt, whole and streamed', async () => {
    const request = {
      model,
      messages: [user('Tell me a story')],
      reasoning_effort: 'none' as const,
      n: 3,
      max_tokens: 12,
      seed: 7,
    };
    const one = await connect().chat.completions.create({ ...request, n: 1 });
    const whole = await connect().chat.completions.create(request);
    expect(whole.choices.map(({ index }) => index)).toEqual([0, 1, 2]);
    expect(whole.usage?.prompt_tokens).toBe(one.usage?.prompt_tokens);
    expect(whole.usage?.completion_tokens).toBe(36);
    const texts: string[] = ['', '', ''];
    const reasons: (string | null)[] = [];
    for await (const { choices } of await connect().chat.completions.create({
      ...request,
      stream: true,
    })) {
      for (const { index, delta, finish_reason: reason } of choices) {
        texts[index] += delta.content ?? '';
        if (reason !== null) reasons[index] = reason;
      }
    }
    expect(texts.every((text) => text !== '')).toBe(true);
    expect(reasons).toEqual(['length', 'length', 'length']);
  });

  it('give log probabilities, and biased tokens', async () => {
    const request = { model, messages: [user('Hello!')], temperature: 0, max_tokens: 5 };
    const { choices } = await connect().chat.completions.create({
      ...request,
      reasoning_effort: 'none',
      logprobs: true,
      top_logprobs: 2,
    });
    const [first] = choices[0]?.logprobs?.content ?? [];
    expect(first).toMatchObject({ token: expect.any(String), bytes: expect.any(Array) });
    expect(first?.top_logprobs).toHaveLength(2);
    const biased = await connect().chat.completions.create({
      ...request,
      reasoning_effort: 'none',
      logprobs: true,
      logit_bias: { 300: 100 },
    });
    const chosen = biased.choices[0]?.logprobs?.content?.map(({ token }) => token) ?? [];
    expect(chosen).toHaveLength(5);
    expect(new Set(chosen).size).toBe(1);
    expect(chosen[0]).not.toBe(first?.token);
  });

  // covers api-3
  it('reason as hard as the effort says', async () => {
    const ask = async (effort: 'none' | 'medium', stored = false) => {
      const { choices, usage } = await connect().chat.completions.create({
        model,
        messages: [user('What is 2 + 3?')],
        temperature: 0,
        reasoning_effort: effort,
        store: stored,
      });
      return { message: choices[0]?.message, usage };
    };
    const reasoned = await ask('medium');
    expect(reasoned.message).toHaveProperty('reasoning_content', expect.any(String));
    expect(reasoned.usage?.completion_tokens_details?.reasoning_tokens).toBeGreaterThan(0);
    const plain = await ask('none');
    expect(plain.message).not.toHaveProperty('reasoning_content');
  });

  it('are stored as a response that v1 continues', async () => {
    const { id } = await connect().chat.completions.create({
      model,
      messages: [user('My name is Ada.')],
      temperature: 0,
      store: true,
      metadata: { topic: 'names' },
    });
    const responseId = id.replace('chatcmpl-', 'resp_');
    const { status, body } = await get(hearth.url, `/api/v1/responses/${responseId}`);
    expect(status).toBe(200);
    expect(body.input).toEqual([{ type: 'text', content: 'My name is Ada.' }]);
    const { metadata } = await connect().responses.retrieve(responseId);
    expect(metadata).toEqual({ topic: 'names' });
  });

  it.each<[string, Record<string, unknown>, string]>([
    ['speech', { audio: { voice: 'alloy', format: 'mp3' } }, 'audio'],
    ['functions of the old form', { functions: [{ name: 'x' }] }, 'functions'],
    ['metadata that is not a text', { metadata: { a: 1 } }, 'metadata.a'],
    ['alternatives without log probabilities', { top_logprobs: 2 }, 'top_logprobs'],
    ['several stored choices', { n: 2, store: true }, 'store'],
    ['a wrong type', { temperature: 'hot' }, 'temperature'],
    ['an unknown role', { messages: [{ role: 'narrator', content: 'x' }] }, 'messages[0].role'],
    [
      'a result without a call',
      { messages: [{ role: 'tool', tool_call_id: 'x', content: 'y' }] },
      'messages[0].tool_call_id',
    ],
    ['a tool that is not there', { tool_choice: 'required' }, 'tool_choice'],
    ['a grammar', { grammar: 'root ::= "a"' }, 'grammar'],
    ['a pattern', { guided_regex: 'a+' }, 'guided_regex'],
  ])('refuse %s and name the field', async (_, more, param) => {
    const failure = connect().chat.completions.create({
      model,
      messages: [user('Hello!')],
      ...more,
    });
    await expect(failure).rejects.toBeInstanceOf(BadRequestError);
    await expect(failure).rejects.toMatchObject({ param, type: 'invalid_request_error' });
  });

  // covers api-14
  it('ignore unknown fields', async () => {
    const { status } = await post(hearth.url, '/v1/chat/completions', {
      model,
      messages: [user('Hello!')],
      max_tokens: 1,
      service_tier: 'auto',
      made_up: { deeply: true },
    });
    expect(status).toBe(200);
  });

  it('name the service tier that serves them, if they choose one', async () => {
    const request = { model, messages: [user('Hello!')], max_tokens: 1 };
    const tierOf = async (id: string) => (await connect().responses.retrieve(id)).service_tier;
    for (const [tier, served] of [
      ['flex', 'flex'],
      // A request without a token has the class `normal`.
      ['priority', 'default'],
    ] as const) {
      const tiered = { ...request, service_tier: tier };
      const completion = await connect().chat.completions.create({ ...tiered, store: true });
      expect(completion.service_tier).toBe(served);
      expect(await tierOf(completion.id.replace('chatcmpl-', 'resp_'))).toBe(served);
      const chunks = await connect().chat.completions.create({ ...tiered, stream: true });
      for await (const chunk of chunks) expect(chunk.service_tier).toBe(served);
      const response = { model, input: 'Hello!', max_output_tokens: 16, service_tier: tier };
      const { id, service_tier } = await connect().responses.create(response);
      expect([service_tier, await tierOf(id)]).toEqual([served, served]);
    }
    expect(await connect().chat.completions.create(request)).not.toHaveProperty('service_tier');
    const { id } = await connect().responses.create({ model, input: 'Hello!' });
    expect(await connect().responses.retrieve(id)).not.toHaveProperty('service_tier');
    const unknown = await post(hearth.url, '/v1/responses', {
      model,
      input: 'Hello!',
      service_tier: 'first',
    });
    expect(unknown).toMatchObject({ status: 400, body: { error: { param: 'service_tier' } } });
  });

  it('end when the client goes away midway', async () => {
    const running = await connect().chat.completions.create({
      model,
      messages: [user('Tell me a story')],
      logit_bias: {},
      stream: true,
    });
    for await (const chunk of running) {
      expect(chunk.object).toBe('chat.completion.chunk');
      running.controller.abort();
    }
    const idle = async () =>
      (await get(hearth.url, '/api/v1/status')).body.instances?.every(
        (each: { active_requests?: number }) => (each.active_requests ?? 0) === 0,
      );
    await expect.poll(idle).toBe(true);
  });

  it('answer paths that do not exist in the same error format', async () => {
    const { status, body } = await get(hearth.url, '/v1/assistants');
    expect(status).toBe(404);
    expect(body.error).toMatchObject({ type: 'invalid_request_error', param: null });
  });
});
