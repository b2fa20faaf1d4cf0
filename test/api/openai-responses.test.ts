import OpenAI, { NotFoundError } from 'openai';
import type { ResponseStreamEvent, Tool } from 'openai/resources/responses/responses';
import { describe, expect, it } from 'vitest';
import { openAiResponseSchema } from '../../src/api/openai/responses/response-schema.ts';
import { startStreamableServer } from '../setup/mcp/streamable-server.ts';
import { picture } from '../setup/models/picture.ts';
import { post } from '../setup/server/api.ts';
import { useHearth } from '../setup/server/use-hearth.ts';
import { useResource } from '../setup/use-resource.ts';

const adder = useResource(() => startStreamableServer());
const hearth = useHearth(() => ({
  flags: ['--mcp-allow-ephemeral', `--mcp-allowed-hosts=${new URL(adder.url).host}`],
}));

const model = 'hearth/starter-chat';
const calm = { model, temperature: 0, reasoning: { effort: 'none' } } as const;
const connect = () =>
  new OpenAI({ baseURL: `${hearth.url}/v1`, apiKey: 'any-word', maxRetries: 0 });

const tide: Tool = {
  type: 'function',
  name: 'get_tide',
  description: 'Tide of a harbour',
  strict: null,
  parameters: {
    type: 'object',
    properties: { harbour: { type: 'string' } },
    required: ['harbour'],
  },
};

async function read(
  events: AsyncIterable<ResponseStreamEvent>,
): Promise<readonly ResponseStreamEvent[]> {
  const all = [];
  for await (const event of events) all.push(event);
  expect(all.map((event) => event.sequence_number)).toEqual(all.map((_, index) => index));
  return all;
}

// covers api-1, api-2
describe('OpenAI responses', () => {
  // covers api-13
  it('answer a text, are stored, shown, listed and deleted', async () => {
    const client = connect();
    const response = await client.responses.create({
      ...calm,
      input: 'Who are you?',
      instructions: 'You are Bramble.',
      metadata: { purpose: 'test' },
    });
    openAiResponseSchema.parse(response);
    expect(response).toMatchObject({ status: 'completed', model, metadata: { purpose: 'test' } });
    expect(response.output_text).toContain('Bramble');
    const { usage } = response;
    expect(usage?.total_tokens).toBe((usage?.input_tokens ?? 0) + (usage?.output_tokens ?? 0));

    const stored = await client.responses.retrieve(response.id);
    expect(stored.output).toEqual(response.output);
    expect(stored.usage).toEqual(usage);
    expect(stored).toMatchObject({
      instructions: 'You are Bramble.',
      metadata: { purpose: 'test' },
    });
    const { data } = await client.responses.inputItems.list(response.id);
    expect(data).toMatchObject([
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Who are you?' }] },
    ]);
    const unknown = client.responses.inputItems.list(response.id, { after: 'msg_x' });
    await expect(unknown).rejects.toMatchObject({ status: 400, param: 'after' });
    await client.responses.delete(response.id);
    await expect(client.responses.retrieve(response.id)).rejects.toBeInstanceOf(NotFoundError);
    await expect(client.responses.delete(response.id)).rejects.toMatchObject({ status: 404 });
  });

  it('stream the official events in order', async () => {
    const request = { ...calm, input: 'Count from 3 to 9.', store: false };
    const whole = await connect().responses.create(request);
    const events = await read(await connect().responses.create({ ...request, stream: true }));
    const types = events.map(({ type }) => type);
    expect(types.filter((type) => type !== 'response.output_text.delta')).toEqual([
      'response.created',
      'response.in_progress',
      'response.output_item.added',
      'response.content_part.added',
      'response.output_text.done',
      'response.content_part.done',
      'response.output_item.done',
      'response.completed',
    ]);
    const text = events
      .map((event) => (event.type === 'response.output_text.delta' ? event.delta : ''))
      .join('');
    expect(text).toBe(whole.output_text);
    const last = events.at(-1);
    if (last?.type !== 'response.completed') throw new Error('not completed');
    expect(last.response.usage?.output_tokens).toBe(whole.usage?.output_tokens);
    const failure = connect().responses.retrieve(whole.id);
    await expect(failure).rejects.toMatchObject({ status: 404 });
  });

  it('are put together by the helper of the client, with the reasoning', async () => {
    const stream = connect().responses.stream({
      model,
      temperature: 0,
      input: 'What is 2 + 3?',
      reasoning: { effort: 'medium' },
    });
    const response = await stream.finalResponse();
    expect(response.output.map(({ type }) => type)).toEqual(['reasoning', 'message']);
    expect(response.usage?.output_tokens_details.reasoning_tokens).toBeGreaterThan(0);
    const stored = await connect().responses.retrieve(response.id);
    expect(stored.output.map(({ id }) => id)).toEqual(response.output.map(({ id }) => id));
  });

  // covers api-5
  it('continue a response, through v1 and back', async () => {
    const first = await connect().responses.create({ ...calm, input: 'My name is Ada.' });
    const { status, body } = await post(hearth.url, '/api/v1/chat', {
      model,
      input: 'Hello!',
      temperature: 0,
      previous_response_id: first.id,
    });
    expect(status).toBe(200);
    const third = await connect().responses.create({
      ...calm,
      input: 'What is my name?',
      previous_response_id: body.response_id,
    });
    expect(third.output_text).toContain('Ada');
    expect(third.previous_response_id).toBe(body.response_id);
    const unknown = connect().responses.create({
      ...calm,
      input: 'x',
      previous_response_id: 'resp_none',
    });
    await expect(unknown).rejects.toMatchObject({ status: 400, param: 'previous_response_id' });
  });

  it('leave a function to the client and take its output', async () => {
    const request = { ...calm, tools: [tide] };
    const input = 'Get the tide of Brest';
    const first = await connect().responses.create({ ...request, input });
    const [call] = first.output;
    if (call?.type !== 'function_call') throw new Error(`No call but ${call?.type}`);
    expect(JSON.parse(call.arguments)).toEqual({ harbour: 'Brest' });
    const output = {
      type: 'function_call_output',
      call_id: call.call_id,
      output: '{"tide": "high"}',
    } as const;
    const stateful = await connect().responses.create({
      ...request,
      previous_response_id: first.id,
      input: [output],
    });
    expect(stateful.output_text).toContain('high');
    const stateless = await connect().responses.create({
      ...request,
      input: [{ role: 'user', content: input }, call, output],
    });
    expect(stateless.output_text).toBe(stateful.output_text);
    const forgotten = connect().responses.create({
      ...request,
      previous_response_id: first.id,
      input: 'And now?',
    });
    await expect(forgotten).rejects.toMatchObject({ status: 400, param: 'input' });

    const events = await read(
      await connect().responses.create({ ...request, input, stream: true }),
    );
    const types = new Set(events.map(({ type }) => type));
    expect([...types]).toEqual([
      'response.created',
      'response.in_progress',
      'response.output_item.added',
      'response.function_call_arguments.delta',
      'response.function_call_arguments.done',
      'response.output_item.done',
      'response.completed',
    ]);
  });

  it('take references to items of stored responses', async () => {
    const first = await connect().responses.create({
      ...calm,
      input: 'My name is Ada.',
      tools: [tide],
      tool_choice: 'none',
    });
    const { data } = await connect().responses.inputItems.list(first.id);
    const references = [...data, ...first.output].map(({ id }) => ({
      type: 'item_reference' as const,
      id: id ?? '',
    }));
    const next = await connect().responses.create({
      ...calm,
      input: [...references, { role: 'user', content: 'What is my name?' }],
    });
    expect(next.output_text).toContain('Ada');

    const called = await connect().responses.create({
      ...calm,
      tools: [tide],
      input: 'Get the tide of Brest',
    });
    const [call] = called.output;
    if (call?.type !== 'function_call') throw new Error(`No call but ${call?.type}`);
    const answered = await connect().responses.create({
      ...calm,
      tools: [tide],
      input: [
        { role: 'user', content: 'Get the tide of Brest' },
        { type: 'item_reference', id: call.id ?? '' },
        { type: 'function_call_output', call_id: call.call_id, output: '{"tide": "high"}' },
      ],
    });
    expect(answered.output_text).toContain('high');
  });

  it('run the tools of an MCP server', async () => {
    const server: Tool = {
      type: 'mcp',
      server_label: 'adder',
      server_url: adder.url,
      allowed_tools: ['add'],
      require_approval: 'never',
    };
    const request = {
      ...calm,
      input: 'Add 2 and 3.',
      tools: [server],
      tool_choice: 'required' as const,
      max_output_tokens: 80,
    };
    const { output } = await connect().responses.create(request);
    const call = output.find(({ type }) => type === 'mcp_call');
    expect(call).toMatchObject({ server_label: 'adder', name: 'add', status: 'completed' });
    const events = await read(await connect().responses.create({ ...request, stream: true }));
    const types = events.map(({ type }) => type);
    for (const type of ['in_progress', 'completed']) {
      expect(types).toContain(`response.mcp_call.${type}`);
    }
    expect(types).toContain('response.mcp_call_arguments.done');
    const chosen = (name: string) =>
      connect().responses.create({
        ...request,
        tool_choice: { type: 'mcp', server_label: 'adder', name },
      });
    expect((await chosen('add')).output.map(({ type }) => type)).toContain('mcp_call');
    await expect(chosen('subtract')).rejects.toMatchObject({ status: 400, param: 'tool_choice' });
  });

  it('obey a JSON schema, and see a picture', async () => {
    const schema = {
      type: 'object',
      properties: { answer: { type: 'integer' } },
      required: ['answer'],
      additionalProperties: false,
    };
    const { output_parsed: parsed } = await connect().responses.parse({
      ...calm,
      input: 'What is 2 + 3?',
      text: { format: { type: 'json_schema', name: 'sum', strict: true, schema } },
    });
    expect(parsed).toEqual({ answer: expect.any(Number) });
    const { output_text: seen } = await connect().responses.create({
      model: 'hearth/starter-vision',
      temperature: 0,
      input: [
        {
          role: 'user',
          content: [
            { type: 'input_text', text: 'What colour is the picture?' },
            { type: 'input_image', detail: 'auto', image_url: await picture('red') },
          ],
        },
      ],
    });
    expect(seen.toLowerCase()).toContain('red');
  });

  it('say that they are incomplete, and give log probabilities', async () => {
    const response = await connect().responses.create({
      ...calm,
      input: 'Count from 3 to 9.',
      max_output_tokens: 3,
      top_logprobs: 2,
    });
    expect(response).toMatchObject({
      status: 'incomplete',
      incomplete_details: { reason: 'max_output_tokens' },
    });
    const [message] = response.output;
    if (message?.type !== 'message') throw new Error('no message');
    const [part] = message.content;
    expect(part?.type === 'output_text' && part.logprobs?.[0]?.top_logprobs).toHaveLength(2);
  });

  // covers v1-chat-29
  it('drop the oldest turns if the client allows it, and say how many', async () => {
    const turns = Array.from({ length: 40 }, (_, index) => [
      { role: 'user' as const, content: `Fact ${index}: ${'the sea is calm '.repeat(20)}` },
      { role: 'assistant' as const, content: 'I will remember it.' },
    ]).flat();
    const question = { role: 'user' as const, content: 'My name is Zorbek.' };
    const request = { ...calm, instructions: 'Be brief.', input: [...turns, question] };
    await expect(connect().responses.create(request)).rejects.toMatchObject({
      code: 'context_length_exceeded',
    });
    const response = await connect().responses.create({ ...request, truncation: 'auto' });
    const { dropped_turns: dropped = 0 } = openAiResponseSchema.parse(response);
    expect(dropped).toBeGreaterThan(10);
    expect(dropped).toBeLessThan(40);
    expect(response).toMatchObject({ status: 'completed', truncation: 'auto' });
    const kept = { ...request, input: [...turns.slice(2 * dropped), question] };
    const counted = await connect().responses.inputTokens.count(kept);
    expect(counted.input_tokens).toBe(response.usage?.input_tokens);
    const whole = await connect().responses.inputTokens.count(request);
    expect(whole.input_tokens).toBeGreaterThan(4096);
    const stored = await connect().responses.retrieve(response.id);
    expect(stored).toMatchObject({ truncation: 'auto', dropped_turns: dropped });

    const body = {
      model,
      input: 'What is my name?',
      previous_response_id: response.id,
      max_output_tokens: 4,
    };
    const refused = await post(hearth.url, '/api/v1/chat', body);
    expect(refused.body.error).toMatchObject({ code: 'context_length_exceeded' });
    const { status, body: answer } = await post(hearth.url, '/api/v1/chat', {
      ...body,
      truncation: 'auto',
    });
    expect({ status, dropped: answer.dropped_turns > 10 }).toEqual({ status: 200, dropped: true });
  });

  it.each<[string, Record<string, unknown>, string]>([
    ['work in the background without a store', { background: true, store: false }, 'background'],
    [
      'a conversation beside a response',
      { conversation: 'conv_1', previous_response_id: 'resp_1' },
      'conversation',
    ],
    ['a conversation without a store', { conversation: 'conv_1', store: false }, 'conversation'],
    ['an unknown truncation', { truncation: 'middle' }, 'truncation'],
    ['a limit of no calls', { max_tool_calls: 0 }, 'max_tool_calls'],
    [
      'a reference to nothing',
      { input: [{ type: 'item_reference', id: `msg_${'0'.repeat(48)}_0` }] },
      'input[0].id',
    ],
    ['an unknown tool', { tools: [{ type: 'web_search' }] }, 'tools[0].type'],
    [
      'an unknown approval',
      {
        tools: [
          {
            type: 'mcp',
            server_label: 'x',
            server_url: 'http://localhost',
            require_approval: 'sometimes',
          },
        ],
      },
      'tools[0].require_approval',
    ],
    [
      'an answer without an approval request',
      { input: [{ type: 'mcp_approval_response', approval_request_id: 'x', approve: true }] },
      'input',
    ],
    [
      'an approval request without an answer',
      {
        input: [
          { type: 'mcp_approval_request', id: 'x', server_label: 'a', name: 'b', arguments: '{}' },
        ],
      },
      'input[0].id',
    ],
    [
      'an output without a call',
      { input: [{ type: 'function_call_output', call_id: 'x', output: 'y' }] },
      'input',
    ],
    ['an unknown role', { input: [{ role: 'narrator', content: 'x' }] }, 'input[0].role'],
  ])('refuse %s and name the field', async (_, more, param) => {
    const { status, body } = await post(hearth.url, '/v1/responses', {
      model,
      input: 'Hello!',
      ...more,
    });
    expect({ status, ...body.error }).toMatchObject({ status: 400, param });
  });
});
