import OpenAI from 'openai';
import type { Response, ResponseInputItem, Tool } from 'openai/resources/responses/responses';
import { describe, expect, it } from 'vitest';
import { startStreamableServer } from '../setup/mcp/streamable-server.ts';
import { endlessModel, placeEndlessModel } from '../setup/models/endless-model.ts';
import { get, post } from '../setup/server/api.ts';
import { useHearth } from '../setup/server/use-hearth.ts';
import { useResource } from '../setup/use-resource.ts';

const adder = useResource(() => startStreamableServer());
const hearth = useHearth(async (home) => {
  await placeEndlessModel(home);
  return {
    flags: ['--mcp-allow-ephemeral', `--mcp-allowed-hosts=${new URL(adder.url).host}`],
  };
});

const model = 'hearth/starter-chat';
const calm = { model, temperature: 0, reasoning: { effort: 'none' } } as const;
const connect = () => new OpenAI({ baseURL: `${hearth.url}/v1`, apiKey: 'any', maxRetries: 0 });
const user = (content: string) => ({ role: 'user' as const, content });

describe('a conversation', () => {
  it('begins with items, takes responses, and has all in order', async () => {
    const { conversations, responses } = connect();
    const { id, metadata } = await conversations.create({
      items: [user('My name is Ada.'), { role: 'assistant', content: 'Hello, Ada!' }],
      metadata: { project: 'sea' },
    });
    expect(metadata).toEqual({ project: 'sea' });
    const response = await responses.create({
      ...calm,
      conversation: id,
      input: 'What is my name?',
    });
    expect(response.output_text).toContain('Ada');
    expect(response.conversation).toEqual({ id });
    expect((await responses.retrieve(response.id)).conversation).toEqual({ id });
    const added = await conversations.items.create(id, { items: [user('Hello!')] });
    expect(added.data).toMatchObject([{ type: 'message', role: 'user' }]);

    const listed = [];
    for await (const item of conversations.items.list(id, { limit: 2, order: 'asc' })) {
      listed.push(item);
    }
    expect(listed.map((item) => ('role' in item ? item.role : item.type))).toEqual([
      'user',
      'assistant',
      'user',
      'assistant',
      'user',
    ]);
    const newest = [];
    for await (const item of conversations.items.list(id, { limit: 3 })) newest.push(item.id);
    expect(newest).toEqual(listed.map((item) => item.id).toReversed());
    const [first] = listed;
    if (first === undefined) throw new Error('no items');
    const where = { conversation_id: id };
    expect(await conversations.items.retrieve(first.id ?? '', where)).toEqual(first);

    await conversations.items.delete(first.id ?? '', where);
    const gone = conversations.items.retrieve(first.id ?? '', where);
    await expect(gone).rejects.toMatchObject({ status: 404, code: 'item_not_found' });
    const { data: rest } = await conversations.items.list(id, { order: 'asc' });
    expect(rest).toEqual(listed.slice(1));
    expect(JSON.stringify((await get(hearth.url, '/api/v1/responses')).body)).not.toContain(
      'My name',
    );

    await conversations.update(id, { metadata: { project: 'hill' } });
    expect((await conversations.retrieve(id)).metadata).toEqual({ project: 'hill' });
    expect(await conversations.delete(id)).toMatchObject({ id, deleted: true });
    await expect(conversations.retrieve(id)).rejects.toMatchObject({ status: 404 });
  });

  // covers api-5
  it('crosses the apis: v1, responses, v1', async () => {
    const chat = (body: Record<string, unknown>) =>
      post(hearth.url, '/api/v1/chat', { model, temperature: 0, reasoning: 'off', ...body });
    const first = await chat({ input: 'Hello!', system_prompt: 'You are Bramble.' });
    const { conversations } = (await get(hearth.url, '/api/v1/conversations')).body;
    const [{ conversation_id: conversation }] = conversations;
    const second = await connect().responses.create({
      ...calm,
      conversation,
      input: 'Who are you?',
    });
    expect(second.output_text).toContain('Bramble');
    expect(second.previous_response_id).toBeNull();
    const third = await chat({ input: 'Who are you?', previous_response_id: second.id });
    expect(third.body.output.at(-1).content).toContain('Bramble');
    const tree = (await get(hearth.url, `/api/v1/conversations/${conversation}`)).body;
    expect(tree.responses.map((each: { response_id: string }) => each.response_id)).toEqual([
      first.body.response_id,
      second.id,
      third.body.response_id,
    ]);
    const { data } = await connect().conversations.items.list(conversation, { order: 'asc' });
    expect(data.map((item) => ('role' in item ? item.role : item.type))).toEqual([
      'user',
      'assistant',
      'user',
      'assistant',
      'user',
      'assistant',
    ]);
    expect(
      (await get(hearth.url, `/api/v1/conversations/${conversation}`, { method: 'DELETE' })).status,
    ).toBe(200);
    await expect(connect().conversations.retrieve(conversation)).rejects.toMatchObject({
      status: 404,
    });
  });

  it('takes one request at a time', async () => {
    const { conversations, responses } = connect();
    const { id } = await conversations.create();
    const endless = { model: endlessModel, conversation: id, input: 'Hi', stream: true } as const;
    const stream = await responses.create(endless);
    const locked = { status: 409, code: 'conversation_locked' };
    await expect(
      responses.create({ ...calm, conversation: id, input: 'Hi' }),
    ).rejects.toMatchObject(locked);
    await expect(conversations.items.create(id, { items: [user('Hi')] })).rejects.toMatchObject(
      locked,
    );
    await expect(conversations.delete(id)).rejects.toMatchObject(locked);
    stream.controller.abort();
    const remove = async () => (await conversations.delete(id).catch(() => undefined))?.deleted;
    await expect.poll(remove).toBe(true);
    const unknown = responses.create({ ...calm, conversation: id, input: 'Hi' });
    await expect(unknown).rejects.toMatchObject({ status: 404, param: 'conversation' });
  });
});

describe('a call that needs an approval', () => {
  const server = (): Tool => ({
    type: 'mcp',
    server_label: 'adder',
    server_url: adder.url,
    allowed_tools: ['add'],
  });
  const request = () => ({ ...calm, tools: [server()], max_output_tokens: 80 });
  const requestOf = ({ output }: Response) => {
    const found = output.find((item) => item.type === 'mcp_approval_request');
    if (found === undefined) throw new Error(`No request but ${JSON.stringify(output)}`);
    return found;
  };
  const answer = (id: string, approve: boolean): ResponseInputItem => ({
    type: 'mcp_approval_response',
    approval_request_id: id,
    approve,
  });
  const ask = (more: object = {}) =>
    connect().responses.create({
      ...request(),
      input: 'Add 2 and 3.',
      tool_choice: 'required',
      ...more,
      stream: false,
    });

  it('is made when the next request approves it', async () => {
    const { responses, conversations } = connect();
    const { id: conversation } = await conversations.create();
    const first = await ask({ conversation });
    const { id, name, arguments: args, server_label: label } = requestOf(first);
    expect({ name, label, args: JSON.parse(args) }).toMatchObject({ name: 'add', label: 'adder' });
    expect(first.output[0]).toMatchObject({
      type: 'mcp_list_tools',
      tools: [{ name: 'add', description: 'Adds two numbers', input_schema: { type: 'object' } }],
    });
    const v1 = await post(hearth.url, '/api/v1/chat', {
      model,
      input: 'Well?',
      previous_response_id: first.id,
    });
    expect(v1.status).toBe(400);
    expect(v1.body.error.message).toContain(`waits for the approval of tool calls: ${id}`);

    const approved = await responses.create({
      ...request(),
      conversation,
      input: [answer(id, true)],
    });
    const call = approved.output.find((item) => item.type === 'mcp_call');
    expect(call).toMatchObject({ approval_request_id: id, status: 'completed', arguments: args });
    expect(approved.output.map(({ type }) => type)).not.toContain('mcp_list_tools');
    const { data } = await connect().conversations.items.list(conversation, { order: 'asc' });
    expect(data.map(({ type }) => type).slice(0, 5)).toEqual([
      'message',
      'mcp_list_tools',
      'mcp_approval_request',
      'mcp_approval_response',
      'mcp_call',
    ]);
    const again = responses.create({ ...request(), conversation, input: [answer(id, true)] });
    await expect(again).rejects.toMatchObject({ status: 400, param: 'input' });
    // An approval can be used only once, even in another branch.
    const branch = responses.create({
      ...request(),
      previous_response_id: first.id,
      input: [answer(id, true)],
    });
    await expect(branch).rejects.toMatchObject({
      status: 400,
      param: 'input',
      message: expect.stringContaining('was approved before'),
    });
  });

  it('is not made when it is refused, and streams its events', async () => {
    const events = [];
    const stream = connect().responses.stream({
      ...request(),
      input: 'Add 2 and 3.',
      tool_choice: 'required',
    });
    for await (const event of stream) events.push(event.type);
    const first = await stream.finalResponse();
    expect(events).toEqual([
      'response.created',
      'response.in_progress',
      'response.output_item.added',
      'response.mcp_list_tools.in_progress',
      'response.mcp_list_tools.completed',
      'response.output_item.done',
      'response.output_item.added',
      'response.output_item.done',
      'response.completed',
    ]);
    const { id } = requestOf(first);
    const refused = await connect().responses.create({
      ...request(),
      previous_response_id: first.id,
      input: [answer(id, false)],
      tool_choice: 'none',
    });
    expect(refused.output.map(({ type }) => type)).toEqual(['message']);
  });

  it('may be sent back whole, without a stored response', async () => {
    const input = [user('Add 2 and 3.')];
    const first = await ask({ store: false, input });
    const { id } = requestOf(first);
    const sent = [...input, ...first.output, answer(id, true)] as ResponseInputItem[];
    const next = await connect().responses.create({ ...request(), store: false, input: sent });
    const call = next.output.find((item) => item.type === 'mcp_call');
    expect(call).toMatchObject({ approval_request_id: id, status: 'completed' });
    const last = await connect().responses.create({
      ...request(),
      store: false,
      input: [...sent, ...next.output, user('Thanks')] as ResponseInputItem[],
      tool_choice: 'none',
    });
    expect(last.output.map(({ type }) => type)).toEqual(['message']);
  });

  it('is chosen by name', async () => {
    const filtered = (always: string) => ({
      tools: [{ ...server(), require_approval: { always: { tool_names: [always] } } }],
    });
    const free = await ask(filtered('wait'));
    expect(free.output.map(({ type }) => type)).toContain('mcp_call');
    requestOf(await ask(filtered('add')));
    await expect(ask(filtered('ad'))).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining('"adder" has no tool "ad"'),
    });
  });
});
