import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { officialServer } from '../setup/mcp/official-server.ts';
import { chatEventSchema, type ChatEvent } from '../../src/api/v1/chat/chat-event-schema.ts';
import { writeScriptedEngine } from '../setup/engine/scripted-engine.ts';
import type { ScriptedGeneration } from '../setup/engine/scripted-llama-server.ts';
import { addHarbour } from '../setup/mcp/harbour.ts';
import { startStreamableServer } from '../setup/mcp/streamable-server.ts';
import { get, post } from '../setup/server/api.ts';
import { expectError } from '../setup/server/expect-error.ts';
import { followStream, openStream, type LiveStream } from '../setup/server/live-stream.ts';
import { useHearth } from '../setup/server/use-hearth.ts';
import { useTemporaryFolder } from '../setup/temporary-folder.ts';
import { useResource } from '../setup/use-resource.ts';

type Required = Extract<ChatEvent, { type: 'tool_call.approval_required' }>;
type Headers = Readonly<Record<string, string>>;

const model = 'hearth/starter-chat';
const done: ScriptedGeneration = { text: 'Done.' };
const folder = useTemporaryFolder();
const adder = useResource(() => startStreamableServer());
const file = (name: string) => join(folder.path, name);
let headers: Headers;
let stranger: Headers;

const hearth = useHearth(async (home) => {
  const place = await addHarbour(home, {
    files: { command: process.execPath, args: [officialServer('server-filesystem'), folder.path] },
  });
  headers = await place.bearer('chat', 'plugins', 'ephemeral-mcp', 'admin');
  stranger = await place.bearer('chat', 'plugins');
  return {
    flags: [
      '--mcp-allow-plugins',
      '--mcp-allow-ephemeral',
      '--engine-parallel=1',
      `--mcp-allowed-hosts=${new URL(adder.url).host}`,
      `--engine-llama-server=${await writeScriptedEngine(home)}`,
    ],
  };
});
beforeEach(() => writeFile(file('note.txt'), 'Milk'));
afterEach(async () => {
  const { body } = await get(hearth.url, '/api/v1/tool-approvals', { headers });
  for (const { label, tool } of body.approvals) await change('DELETE', label, tool);
});

const writeCall = (name: string) =>
  ['write_file', JSON.stringify({ path: file(name), content: 'Eggs' })] as const;
const readCall = () => ['read_text_file', JSON.stringify({ path: file('note.txt') })] as const;

const request = (script: readonly ScriptedGeneration[], fields: object = {}) => ({
  model,
  input: JSON.stringify(script),
  integrations: ['mcp/files'],
  tool_approvals: true,
  ...fields,
});
const start = (script: readonly ScriptedGeneration[], fields: object = {}) =>
  openStream(hearth.url, '/api/v1/chat', request(script, fields), { headers });

const parse = ({ data }: { readonly data: string }) => chatEventSchema.parse(JSON.parse(data));
async function question(stream: LiveStream): Promise<Required> {
  return parse(await stream.until('tool_call.approval_required')) as Required;
}
const answer = (id: string, body: object, by: Headers = headers) =>
  post(hearth.url, `/api/v1/tool-calls/${id}/approval`, body, { headers: by });

async function approve(id: string, body: object): Promise<void> {
  const { status, body: result } = await answer(id, body);
  expect(status, JSON.stringify(result)).toBe(200);
  expect(result).toEqual({ call_id: id, scope: 'once', ...body });
}
async function change(method: string, label: string, tool: string, body?: object) {
  const path = `${hearth.url}/api/v1/tool-approvals/${label}/${encodeURIComponent(tool)}`;
  const json = { ...headers, 'content-type': 'application/json' };
  const response = await fetch(path, {
    method,
    headers: json,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, headers: response.headers, body: await response.json() };
}

/** The rest of the events, without text deltas. */
async function rest(stream: LiveStream) {
  const events = (await stream.rest()).map(parse);
  const end = events.at(-1);
  if (end?.type !== 'chat.end') throw new Error(`The stream ended with ${end?.type}.`);
  return {
    output: end.result.output,
    responseId: end.result.response_id,
    calls: events.filter(({ type }) => type.startsWith('tool_call.')),
  };
}
const content = (name: string) => readFile(file(name), 'utf8').catch(() => 'none');

describe('a call of a tool that changes something', () => {
  it('waits for its user, and is made when it is approved', async () => {
    const stream = await start([{ calls: [writeCall('a')] }, done]);
    const waiting = await question(stream);
    expect(waiting).toEqual({
      type: 'tool_call.approval_required',
      call_id: expect.stringMatching(/^call_[0-9a-f]{48}$/),
      tool: 'write_file',
      arguments: { path: file('a'), content: 'Eggs' },
      annotations: {
        readOnlyHint: false,
        idempotentHint: true,
        destructiveHint: true,
        openWorldHint: false,
      },
      expires_at: expect.any(String),
      provider_info: { type: 'plugin', plugin_id: 'mcp/files' },
    });
    expect(await content('a')).toBe('none');
    await approve(waiting.call_id, { approved: true });
    const { output, calls } = await rest(stream);
    expect(calls).toEqual([
      { type: 'tool_call.approval_resolved', call_id: waiting.call_id, approved: true },
      expect.objectContaining({ type: 'tool_call.success', tool: 'write_file' }),
    ]);
    expect(output).toEqual([
      expect.objectContaining({ type: 'tool_call', tool: 'write_file' }),
      { type: 'message', content: 'Done.' },
    ]);
    expect(await content('a')).toBe('Eggs');
  });

  it('is not made when it is refused; the model reads why and continues', async () => {
    const stream = await start([{ calls: [writeCall('b')] }, done]);
    const { call_id: id } = await question(stream);
    await answer(id, { approved: false, reason: 'Use another name.' });
    const { output, responseId, calls } = await rest(stream);
    const denied = {
      type: 'invalid_tool_call',
      reason: 'The user did not allow this call. The user says: Use another name.',
      metadata: {
        type: 'invalid_arguments',
        is_denied: true,
        tool_name: 'write_file',
        arguments: { path: file('b'), content: 'Eggs' },
        provider_info: { type: 'plugin', plugin_id: 'mcp/files' },
      },
    };
    expect(output).toEqual([denied, { type: 'message', content: 'Done.' }]);
    expect(calls).toEqual([
      { type: 'tool_call.approval_resolved', call_id: id, approved: false },
      { ...denied, type: 'tool_call.failure' },
    ]);
    expect(await content('b')).toBe('none');
    const stored = await get(hearth.url, `/api/v1/responses/${responseId}`, { headers });
    expect(stored.body.output[0]).toEqual(denied);
  });

  it('runs without a question where the request does not ask for it', async () => {
    const stream = await start([{ calls: [writeCall('c')] }, done], { tool_approvals: false });
    const { calls } = await rest(stream);
    expect(calls.map(({ type }) => type)).toEqual([
      'tool_call.start',
      'tool_call.arguments',
      'tool_call.success',
    ]);
    expect(await content('c')).toBe('Eggs');
  });

  it('is refused in a request without a stream, which shows no question', async () => {
    const { status, body } = await post(
      hearth.url,
      '/api/v1/chat',
      request([{ calls: [readCall(), writeCall('d')] }, done]),
      { headers },
    );
    expect(status).toBe(200);
    expect(body.output).toEqual([
      expect.objectContaining({ type: 'tool_call', tool: 'read_text_file' }),
      expect.objectContaining({
        type: 'invalid_tool_call',
        reason: expect.stringContaining('only in a stream'),
      }),
      { type: 'message', content: 'Done.' },
    ]);
    expect(await content('d')).toBe('none');
  });
});

it('a read-only tool of a plugin runs without a question', async () => {
  const { calls } = await rest(await start([{ calls: [readCall()] }, done]));
  expect(calls.at(-1)).toMatchObject({ type: 'tool_call.success', tool: 'read_text_file' });
});

describe('an answer', () => {
  it('for the conversation holds for the responses that continue it, and for no others', async () => {
    const script = [{ calls: [writeCall('e')] }, done, done, { calls: [writeCall('f')] }, done];
    const first = await start(script);
    const { call_id: id } = await question(first);
    await approve(id, { approved: true, scope: 'conversation' });
    const { responseId } = await rest(first);
    const without = { integrations: [], tool_approvals: false };
    const next = { input: 'Thanks', previous_response_id: responseId, ...without };
    const { responseId: last } = await rest(await start([], next));
    const { calls } = await rest(await start([], { input: 'Again', previous_response_id: last }));
    expect(calls.map(({ type }) => type)).not.toContain('tool_call.approval_required');
    expect(await content('f')).toBe('Eggs');
    const other = await start(script);
    await question(other);
    other.disconnect();
  });

  it('for all calls is kept, in this response and in others, until it is removed', async () => {
    const stream = await start([{ calls: [writeCall('h'), writeCall('i')] }, done]);
    const { call_id: id } = await question(stream);
    await question(stream);
    await approve(id, { approved: true, scope: 'always' });
    // The same decision applies to the round's other call.
    await rest(stream);
    expect([await content('h'), await content('i')]).toEqual(['Eggs', 'Eggs']);
    const list = await get(hearth.url, '/api/v1/tool-approvals', { headers });
    expect(list.body.approvals).toEqual([
      { plugin_id: 'mcp/files', label: 'files', tool: 'write_file', decision: 'always' },
    ]);
    const others = await get(hearth.url, '/api/v1/tool-approvals', { headers: stranger });
    expect(others.body.approvals).toEqual([]);
    await rest(await start([{ calls: [writeCall('j')] }, done]));
    expect(await content('j')).toBe('Eggs');

    const never = await change('PUT', 'files', 'write_file', { decision: 'never' });
    expect(never.body).toMatchObject({ decision: 'never' });
    const { output } = await rest(await start([{ calls: [writeCall('k')] }, done]));
    expect(output[0]).toMatchObject({
      type: 'invalid_tool_call',
      reason: 'The user does not allow calls of write_file.',
    });
    expect(await content('k')).toBe('none');

    expect((await change('DELETE', 'files', 'write_file')).body).toEqual({
      plugin_id: 'mcp/files',
      tool: 'write_file',
      removed: true,
    });
    expectError(await change('DELETE', 'files', 'write_file'), {
      code: 'tool_approval_not_found',
      message: 'write_file',
      param: 'tool',
    });
    const asking = await start([{ calls: [writeCall('l')] }, done]);
    await question(asking);
    asking.disconnect();
  });

  it('is given once, by the caller of the chat, for a call that waits', async () => {
    const stream = await start([{ calls: [writeCall('m')] }, done]);
    const { call_id: id } = await question(stream);
    const unknown = {
      code: 'tool_approval_not_found',
      message: 'waits',
      param: 'call_id',
    } as const;
    expectError(await answer('call_absent', { approved: true }), unknown);
    expectError(await answer(id, { approved: true }, stranger), unknown);
    expectError(await answer(id, { approved: true }, {}), unknown);
    expectError(await answer(id, {}), {
      code: 'missing_required_parameter',
      message: 'approved',
      param: 'approved',
    });
    const both = await Promise.all([
      answer(id, { approved: false }),
      answer(id, { approved: false }),
    ]);
    expect(both.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([
      200, 409,
    ]);
    await rest(stream);
    expect((await answer(id, { approved: true })).status).toBe(409);
    expect(await content('m')).toBe('none');
  });

  it('is not kept for the tool of a server that the request names', async () => {
    const integrations = [{ type: 'ephemeral_mcp', server_label: 'adder', server_url: adder.url }];
    const stream = await start([{ calls: [['add', '{"a":1,"b":2}']] }, done], { integrations });
    const { call_id: id } = await question(stream);
    expectError(await answer(id, { approved: true, scope: 'always' }), {
      code: 'invalid_value',
      message: 'plugins',
      param: 'scope',
    });
    await approve(id, { approved: true, scope: 'conversation' });
    const { calls } = await rest(stream);
    expect(calls.at(-1)).toMatchObject({ type: 'tool_call.success', tool: 'add' });
  });
});

it('more calls than a user would read are refused', async () => {
  const calls = Array.from({ length: 52 }, (_, index) => writeCall(`many${index}`));
  const stream = await start([{ calls }, done]);
  const { call_id: id } = await question(stream);
  await approve(id, { approved: false, scope: 'conversation' });
  const { output } = await rest(stream);
  const reasons = output.flatMap((item) =>
    item.type === 'invalid_tool_call' ? [item.reason.includes('at most 50 calls')] : [],
  );
  expect(reasons).toEqual(calls.map((_, index) => index >= 50));
});

describe('a response that waits', () => {
  it('holds no slot of its model', async () => {
    const waiting = await Promise.all(
      Array.from({ length: 3 }, (_, index) => start([{ calls: [writeCall(`n${index}`)] }, done])),
    );
    await Promise.all(waiting.map(question));
    const { status } = await post(hearth.url, '/api/v1/chat', { model, input: '[{"text":"Hi"}]' });
    expect(status).toBe(200);
    for (const stream of waiting) stream.disconnect();
  });

  it('shows the question to a client that comes back, and takes its answer', async () => {
    const script = [{ calls: [writeCall('o')] }, done];
    const first = await start(script, { background: true });
    const { response_id: id } = JSON.parse((await first.until('chat.start')).data);
    const waiting = await question(first);
    first.disconnect();
    const again = await followStream(hearth.url, `/api/v1/responses/${id}/events`, { headers });
    expect(await question(again)).toEqual(waiting);
    await approve(waiting.call_id, { approved: true });
    await rest(again);
    expect(await content('o')).toBe('Eggs');
  });

  it('ends when it is cancelled, and its call is not made', async () => {
    const stream = await start([{ calls: [writeCall('p')] }, done], { background: true });
    const { response_id: id } = JSON.parse((await stream.until('chat.start')).data);
    const { call_id: call } = await question(stream);
    const cancelled = await post(hearth.url, `/api/v1/responses/${id}/cancel`, {}, { headers });
    expect(cancelled.body).toMatchObject({ interrupted: true });
    const events = (await stream.rest()).map(parse);
    expect(events).toContainEqual({
      type: 'error',
      error: expect.objectContaining({ code: 'cancelled' }),
    });
    expect((await answer(call, { approved: true })).status).toBe(409);
    expect(await content('p')).toBe('none');
  });

  it('is interrupted like any other when the server is killed', async () => {
    const stream = await start([{ calls: [writeCall('q')] }, done], { background: true });
    const { response_id: id } = JSON.parse((await stream.until('chat.start')).data);
    const { call_id: call } = await question(stream);
    const path = `/api/v1/responses/${id}/events`;
    await hearth.kill();
    await stream.rest().catch(() => {});
    await hearth.restart();
    const again = await followStream(hearth.url, path, { headers });
    await again.rest();
    const stored = await get(hearth.url, `/api/v1/responses/${id}`, { headers });
    expect(stored.body).toMatchObject({ interrupted: true });
    expectError(await answer(call, { approved: true }), {
      code: 'conflict',
      message: /does not wait any more/,
      param: 'call_id',
    });
    expect(await content('q')).toBe('none');
  });
});
