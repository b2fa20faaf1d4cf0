import OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { storedResponseSchema } from '../../src/api/v1/responses/stored-response-schema.ts';
import { get, post } from '../setup/server/api.ts';
import { useHearth } from '../setup/server/use-hearth.ts';

const hearth = useHearth();
const model = 'hearth/starter-chat';
const calm = { model, temperature: 0, reasoning: { effort: 'none' } } as const;
const connect = () => new OpenAI({ baseURL: `${hearth.url}/v1`, apiKey: 'any', maxRetries: 0 });
const chat = (body: Record<string, unknown>) =>
  post(hearth.url, '/api/v1/chat', { model, temperature: 0, reasoning: 'off', ...body });
const stored = async (id: string) => {
  const { status, body } = await get(hearth.url, `/api/v1/responses/${id}`);
  expect(status).toBe(200);
  return storedResponseSchema.parse(body);
};
const tide = {
  type: 'function' as const,
  name: 'get_tide',
  description: 'Tide of a harbour',
  strict: null,
  parameters: {
    type: 'object',
    properties: { harbour: { type: 'string' } },
    required: ['harbour'],
  },
};

const textOf = (part: object): string =>
  'text' in part && typeof part.text === 'string' ? part.text : '';

describe('the stored tree of all APIs', () => {
  it('keeps the system prompt of v1 in responses, and their instructions to themselves', async () => {
    const first = await chat({ input: 'Hello!', system_prompt: 'You are Bramble.' });
    const second = await connect().responses.create({
      ...calm,
      input: 'Who are you?',
      instructions: 'You answer in one sentence.',
      previous_response_id: first.body.response_id,
    });
    expect(second.output_text).toContain('Bramble');
    const third = await chat({ input: 'Who are you?', previous_response_id: second.id });
    expect(third.body.output.at(-1).content).toContain('Bramble');
    const fourth = await connect().responses.create({
      ...calm,
      input: 'Hello!',
      previous_response_id: third.body.response_id,
    });
    expect(fourth.instructions).toBeNull();
    expect(await connect().responses.retrieve(second.id)).toMatchObject({
      instructions: 'You answer in one sentence.',
      previous_response_id: first.body.response_id,
    });
    expect(await stored(fourth.id)).toMatchObject({
      previous_response_id: third.body.response_id,
      system_prompt: null,
    });
  });

  it('shows calls for a client in v1, and continues from their outputs only', async () => {
    const tools = [tide];
    const request = { ...calm, tools, input: 'Get the tide of Brest' };
    const { id, output } = await connect().responses.create(request);
    const [call] = output;
    if (call?.type !== 'function_call') throw new Error(`No call but ${call?.type}`);
    expect((await stored(id)).output).toEqual([
      {
        type: 'function_call',
        call_id: call.call_id,
        name: 'get_tide',
        arguments: call.arguments,
      },
    ]);
    const refused = await chat({ input: 'And now?', previous_response_id: id });
    expect(refused.status).toBe(400);
    expect(refused.body.error.message).toContain(
      `waits for the results of tool calls: ${call.call_id}`,
    );
    const answered = await connect().responses.create({
      ...calm,
      tools,
      previous_response_id: id,
      input: [{ type: 'function_call_output', call_id: call.call_id, output: '{"tide": "high"}' }],
    });
    expect(answered.output_text).toContain('high');
    const after = await chat({ input: 'Hello!', previous_response_id: answered.id });
    expect(after.status).toBe(200);
  });

  it('has stored chat completions as roots with the messages that were sent', async () => {
    const { id } = await connect().chat.completions.create({
      model,
      temperature: 0,
      store: true,
      messages: [
        { role: 'user', content: 'My name is Ada.' },
        { role: 'assistant', content: 'Hello, Ada!' },
        { role: 'user', content: 'Hello!' },
      ],
    });
    const root = id.replace('chatcmpl-', 'resp_');
    expect(await stored(root)).toMatchObject({ previous_response_id: null });
    const { data } = await connect().responses.inputItems.list(root, { order: 'asc' });
    expect(data).toMatchObject([{ role: 'user' }, { role: 'assistant' }, { role: 'user' }]);
    const next = await chat({ input: 'What is my name?', previous_response_id: root });
    expect(next.body.output.at(-1).content).toContain('Ada');
    const last = await connect().responses.create({
      ...calm,
      input: 'What is my name?',
      previous_response_id: next.body.response_id,
    });
    expect(last.output_text).toContain('Ada');

    // Its messages can also be continued by APIs that store nothing.
    const { conversation } = await connect().responses.retrieve(last.id);
    const items = await connect().conversations.items.list(conversation?.id ?? '', {
      order: 'asc',
    });
    const messages = items.data.flatMap((item) =>
      item.type === 'message'
        ? [{ role: item.role, content: item.content.map((part) => textOf(part)).join('') }]
        : [],
    );
    expect(messages.map(({ role }) => role).join(' ')).toMatch(/^(?:user assistant ?){4}$/);
    const more = { model, messages: [...messages, { role: 'user', content: 'What is my name?' }] };
    const ollama = { ...more, stream: false, think: false, options: { temperature: 0 } };
    const third = await post(hearth.url, '/api/chat', ollama);
    expect(third.body.message.content).toContain('Ada');
    const anthropic = { ...more, max_tokens: 100, temperature: 0 };
    const fourth = await post(hearth.url, '/v1/messages', anthropic);
    expect(fourth.body.content.at(-1).text).toContain('Ada');
  });
});

describe('a chat completion with a schema, tools and reasoning together', () => {
  const schema = {
    type: 'object',
    properties: { tide: { type: 'string', enum: ['high', 'low'] } },
    required: ['tide'],
    additionalProperties: false,
  };
  const request = {
    model,
    temperature: 0,
    reasoning_effort: 'medium' as const,
    tools: [
      {
        type: 'function' as const,
        function: {
          name: tide.name,
          description: tide.description,
          parameters: tide.parameters,
        },
      },
    ],
    response_format: {
      type: 'json_schema' as const,
      json_schema: { name: 'tide', strict: true, schema },
    },
  };

  it('answers with the schema after the call', async () => {
    const user = { role: 'user' as const, content: 'Get the tide of Brest' };
    const first = await connect().chat.completions.create({
      ...request,
      tool_choice: 'required',
      messages: [user],
    });
    const message = first.choices[0]?.message;
    const [call] = message?.tool_calls ?? [];
    if (message === undefined || call?.type !== 'function') throw new Error('no call');
    expect(Object.keys(JSON.parse(call.function.arguments))).toEqual(['harbour']);
    const second = await connect().chat.completions.create({
      ...request,
      messages: [user, message, { role: 'tool', tool_call_id: call.id, content: 'high' }],
      tool_choice: 'none',
    });
    const answer = second.choices[0]?.message;
    expect(['high', 'low']).toContain(JSON.parse(answer?.content ?? '').tide);
    expect(answer).toHaveProperty('reasoning_content');
  });
});

describe('surfaces.openai and surfaces.anthropic: false', () => {
  const closed = useHearth({
    flags: ['--surfaces-openai=false', '--surfaces-anthropic=false'],
  });

  // covers server-16
  it('leaves /v1 without endpoints, and the other APIs alone', async () => {
    const body = { model, messages: [{ role: 'user', content: 'Hello!' }] };
    expect((await get(closed.url, '/v1/models')).status).toBe(404);
    expect((await post(closed.url, '/v1/chat/completions', body)).status).toBe(404);
    expect((await post(closed.url, '/v1/responses', { model, input: 'x' })).status).toBe(404);
    expect((await get(closed.url, '/api/v0/models')).status).toBe(200);
    const { body: document } = await get(closed.url, '/openapi.json');
    const paths = Object.keys(document.paths);
    expect(paths.filter((path) => path.startsWith('/v1/'))).toEqual([]);
    expect(paths).toContain('/api/v1/chat');
  });
});
