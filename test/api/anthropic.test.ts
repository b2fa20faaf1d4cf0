import Anthropic, { APIUserAbortError, type ClientOptions } from '@anthropic-ai/sdk';
import { describe, expect, it } from 'vitest';
import {
  anthropicMessageSchema,
  messageEventSchema,
} from '../../src/api/anthropic/message-schema.ts';
import { picture } from '../setup/models/picture.ts';
import { get, post, stream } from '../setup/server/api.ts';
import { useHearth } from '../setup/server/use-hearth.ts';

const hearth = useHearth();

const model = 'hearth/starter-chat';
const connect = (options: ClientOptions = {}) =>
  new Anthropic({ baseURL: hearth.url, apiKey: 'any-word', maxRetries: 0, ...options });
/** The client has no types for sampling fields, which older clients send. */
const greedy = { temperature: 0 } as object;
const user = (content: string): Anthropic.MessageParam => ({ role: 'user', content });
const textOf = (message: Anthropic.Message): string =>
  message.content.map((block) => (block.type === 'text' ? block.text : '')).join('');
const base64Of = (dataUrl: string): string => dataUrl.slice(dataUrl.indexOf(',') + 1);

const tideTool: Anthropic.Tool = {
  name: 'get_tide',
  description: 'Tide of a harbour',
  input_schema: {
    type: 'object',
    properties: { harbour: { type: 'string' } },
    required: ['harbour'],
  },
};
const windTool: Anthropic.Tool = {
  name: 'get_wind',
  input_schema: { type: 'object', properties: {} },
};

describe('Anthropic messages', () => {
  it('answer whole, with the usage and the name of the request', async () => {
    const {
      data: message,
      response,
      request_id: requestId,
    } = await connect()
      .messages.create({
        model: 'starter-chat',
        system: 'You are Bramble.',
        messages: [user('Who are you?')],
        max_tokens: 200,
        ...greedy,
      })
      .withResponse();
    anthropicMessageSchema.parse(message);
    expect(message.model).toBe('starter-chat');
    expect(message).toMatchObject({
      role: 'assistant',
      stop_reason: 'end_turn',
      stop_sequence: null,
    });
    expect(message.content.map(({ type }) => type)).toEqual(['text']);
    expect(textOf(message)).toContain('Bramble');
    expect(message.usage.output_tokens).toBeGreaterThan(0);
    expect(requestId).toBe(response.headers.get('x-request-id'));
  });

  it('report cached tokens apart from the others', async () => {
    const request = {
      model,
      system: [
        {
          type: 'text' as const,
          text: 'You keep the harbour log. '.repeat(20),
          cache_control: { type: 'ephemeral' as const },
        },
      ],
      messages: [user('Hello!')],
      max_tokens: 1,
    };
    const total = ({ usage }: Anthropic.Message): number =>
      usage.input_tokens + (usage.cache_read_input_tokens ?? 0);
    const first = await connect().messages.create(request);
    const second = await connect().messages.create(request);
    expect(first.usage.cache_creation_input_tokens).toBe(0);
    expect(total(second)).toBe(total(first));
    expect(second.usage.cache_read_input_tokens).toBeGreaterThan(50);
    expect(second.usage.cache_read_input_tokens).toBeGreaterThan(
      first.usage.cache_read_input_tokens ?? 0,
    );
    const counted = await connect().messages.countTokens({
      model,
      system: request.system,
      messages: request.messages,
    });
    expect(counted.input_tokens).toBe(total(first));
  });

  // covers api-6
  it('stream the official events, with the same usage', async () => {
    const request = {
      model,
      messages: [user('Count from 3 to 9.')],
      max_tokens: 200,
      ...greedy,
    };
    const whole = await connect().messages.create(request);
    const streamed = await connect().messages.stream(request).finalMessage();
    expect(textOf(streamed)).toBe(textOf(whole));
    expect(streamed.usage.output_tokens).toBe(whole.usage.output_tokens);
    const events = await stream(hearth.url, '/v1/messages', request);
    const parsed = events.map(({ event, data }) => {
      const content = messageEventSchema.parse(JSON.parse(data));
      expect(content.type).toBe(event);
      return content;
    });
    const types = parsed.map(({ type }) => type).filter((type) => type !== 'content_block_delta');
    expect(types).toEqual([
      'message_start',
      'ping',
      'content_block_start',
      'content_block_stop',
      'message_delta',
      'message_stop',
    ]);
    const [start] = parsed;
    const end = parsed.at(-2);
    if (start?.type !== 'message_start' || end?.type !== 'message_delta') throw new Error('no end');
    expect(start.message.usage.input_tokens).toBe(end.usage.input_tokens);
    expect(start.message.usage.cache_read_input_tokens).toBe(end.usage.cache_read_input_tokens);
    expect(end.usage.output_tokens).toBe(whole.usage.output_tokens);
  });

  // covers api-6
  it('call a tool and answer from its result, whole and streamed', async () => {
    const request = { model, ...greedy, max_tokens: 200, tools: [tideTool] };
    const messages = [user('Get the tide of Brest')];
    const first = await connect().messages.create({ ...request, messages });
    const streamed = await connect()
      .messages.stream({ ...request, messages })
      .finalMessage();
    const call = first.content.find((block) => block.type === 'tool_use');
    const streamedCall = streamed.content.find((block) => block.type === 'tool_use');
    if (call === undefined || streamedCall === undefined) throw new Error('no call');
    expect(first.stop_reason).toBe('tool_use');
    expect(call).toMatchObject({ name: 'get_tide', input: { harbour: 'Brest' } });
    expect(streamedCall).toMatchObject({ name: 'get_tide', input: { harbour: 'Brest' } });
    const second = await connect().messages.create({
      ...request,
      messages: [
        ...messages,
        { role: 'assistant', content: first.content },
        {
          role: 'user',
          content: [
            {
              type: 'tool_result',
              tool_use_id: call.id,
              content: [{ type: 'text', text: '{"tide": "high"}' }],
            },
          ],
        },
      ],
    });
    expect(textOf(second)).toContain('high');
  });

  it('obey every form of tool_choice', async () => {
    const called = async (
      choice: Anthropic.ToolChoice,
      content = 'Hello!',
      tools: Anthropic.Tool[] = [tideTool, windTool],
    ) => {
      const message = await connect().messages.create({
        model,
        ...greedy,
        max_tokens: 60,
        messages: [user(content)],
        tools,
        tool_choice: choice,
      });
      return message.content.flatMap((block) => (block.type === 'tool_use' ? [block.name] : []));
    };
    const single = { disable_parallel_tool_use: true };
    expect(await called({ type: 'none' }, 'Get the tide of Brest')).toEqual([]);
    expect(await called({ type: 'auto', ...single }, 'Get the tide of Brest', [tideTool])).toEqual([
      'get_tide',
    ]);
    expect(await called({ type: 'any', ...single })).toHaveLength(1);
    expect(await called({ type: 'tool', name: 'get_wind' })).toEqual(['get_wind']);
  });

  it('obey a JSON schema', async () => {
    const message = await connect().messages.parse({
      model,
      messages: [user('What is 2 + 3?')],
      max_tokens: 100,
      ...greedy,
      output_config: {
        format: {
          type: 'json_schema',
          schema: {
            type: 'object',
            properties: { answer: { type: 'integer' } },
            required: ['answer'],
            additionalProperties: false,
          },
        },
      },
    });
    expect(JSON.parse(textOf(message))).toEqual({ answer: expect.any(Number) });
  });

  // covers api-6
  it('think if asked to, within the budget, and take the blocks back', async () => {
    const think = (budget: number, display: 'summarized' | 'omitted' = 'summarized') =>
      connect()
        .messages.stream({
          model,
          messages: [user('What is 2 + 3?')],
          ...greedy,
          max_tokens: 400,
          thinking: { type: 'enabled', budget_tokens: budget, display },
        })
        .finalMessage();
    const free = await think(300);
    expect(free.content.map(({ type }) => type)).toEqual(['thinking', 'text']);
    expect(free.content[0]).toMatchObject({
      thinking: expect.stringMatching(/\w/),
      signature: expect.stringMatching(/./),
    });
    const bounded = await think(3);
    const thinkingTokens = (message: Anthropic.Message): number =>
      message.usage.output_tokens_details?.thinking_tokens ?? 0;
    expect(thinkingTokens(bounded)).toBeGreaterThan(0);
    expect(thinkingTokens(bounded)).toBeLessThanOrEqual(4);
    expect(thinkingTokens(bounded)).toBeLessThan(thinkingTokens(free));
    expect(textOf(bounded)).toMatch(/\w/);
    const hidden = await think(300, 'omitted');
    expect(hidden.content[0]).toMatchObject({ type: 'thinking', thinking: '' });
    const next = await connect().messages.create({
      model,
      max_tokens: 100,
      messages: [
        user('What is 2 + 3?'),
        { role: 'assistant', content: [...free.content, { type: 'redacted_thinking', data: 'x' }] },
        user('Who are you?'),
      ],
    });
    expect(next.content.map(({ type }) => type)).toEqual(['text']);
  });

  it('stop at a stop sequence, and name it', async () => {
    const message = await connect().messages.create({
      model,
      messages: [user('Count from 3 to 9.')],
      max_tokens: 200,
      ...greedy,
      stop_sequences: ['nothing', '6'],
    });
    expect(message).toMatchObject({ stop_reason: 'stop_sequence', stop_sequence: '6' });
    expect(textOf(message)).not.toContain('6');
  });

  it('end at max_tokens', async () => {
    const message = await connect().messages.create({
      model,
      messages: [user('Count from 3 to 9.')],
      max_tokens: 2,
    });
    expect(message.stop_reason).toBe('max_tokens');
    expect(message.usage.output_tokens).toBe(2);
  });

  it('continue an answer that the client begins', async () => {
    const message = await connect().messages.create({
      model,
      messages: [user('Who are you?'), { role: 'assistant', content: 'I am' }],
      max_tokens: 30,
      ...greedy,
    });
    expect(textOf(message)).toContain('Starter');
    expect(textOf(message)).not.toContain('I am');
  });

  // covers api-6
  it('see pictures in messages and in results of tools', async () => {
    const image = {
      type: 'image' as const,
      source: {
        type: 'base64' as const,
        media_type: 'image/png' as const,
        data: base64Of(await picture('red')),
      },
    };
    const request = { model: 'hearth/starter-vision', ...greedy, max_tokens: 100 };
    const question = { type: 'text' as const, text: 'What colour is the picture?' };
    const seen = await connect().messages.create({
      ...request,
      messages: [{ role: 'user', content: [question, image] }],
    });
    expect(textOf(seen).toLowerCase()).toContain('red');
    const messages: Anthropic.MessageParam[] = [
      { role: 'user', content: [question] },
      {
        role: 'assistant',
        content: [{ type: 'tool_use', id: 'call00001', name: 'look', input: {} }],
      },
      {
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id: 'call00001', content: [image] }],
      },
    ];
    const shown = await connect().messages.create({ ...request, messages });
    expect(textOf(shown).toLowerCase()).toContain('red');
    const counted = await connect().messages.countTokens({ model: request.model, messages });
    expect(counted.input_tokens).toBe(
      shown.usage.input_tokens + (shown.usage.cache_read_input_tokens ?? 0),
    );
  });

  it('read documents as text', async () => {
    const count = async (content: Anthropic.ContentBlockParam[]): Promise<number> =>
      (await connect().messages.countTokens({ model, messages: [{ role: 'user', content }] }))
        .input_tokens;
    const text = { type: 'text' as const, text: 'What does it say?' };
    const log = 'The tide is high at noon. '.repeat(10);
    const written = await count([
      {
        type: 'document',
        title: 'Log',
        source: { type: 'text', media_type: 'text/plain', data: log },
      },
      text,
    ]);
    expect(written).toBe(
      await count([
        { type: 'text', text: `<document>\n<title>Log</title>\n${log}\n</document>` },
        text,
      ]),
    );
  });

  // covers api-14
  it('ignore unknown fields and beta headers', async () => {
    const { status } = await post(
      hearth.url,
      '/v1/messages?beta=true',
      {
        model,
        messages: [user('Hello!')],
        max_tokens: 1,
        made_up: { deeply: true },
        service_tier: 'auto',
      },
      { headers: { 'anthropic-beta': 'fine-grained-tool-streaming-2025-05-14' } },
    );
    expect(status).toBe(200);
  });

  it('end when the client goes away midway', async () => {
    const running = connect().messages.stream({
      model,
      messages: [user('Tell me a story')],
      max_tokens: 4000,
    });
    const aborted = new Promise((resolve) => running.on('abort', resolve));
    running.on('text', () => running.abort());
    expect(await aborted).toBeInstanceOf(APIUserAbortError);
    const idle = async () =>
      (await get(hearth.url, '/api/v1/status')).body.instances?.every(
        (each: { active_requests?: number }) => (each.active_requests ?? 0) === 0,
      );
    await expect.poll(idle).toBe(true);
  });
});
