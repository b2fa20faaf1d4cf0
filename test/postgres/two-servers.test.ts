import OpenAI, { toFile } from 'openai';
import { describe, expect, it } from 'vitest';
import { runHearth } from '../setup/cli/run-hearth.ts';
import { endlessModel, placeEndlessModel } from '../setup/models/endless-model.ts';
import { useTwoServers } from '../setup/postgres/use-two-servers.ts';
import { get, post } from '../setup/server/api.ts';
import { followStream, openStream } from '../setup/server/live-stream.ts';

const { one, two, environment } = useTwoServers([], placeEndlessModel);
const model = 'hearth/starter-chat';
const calm = { model, temperature: 0, reasoning: 'off', max_output_tokens: 8 } as const;
const connect = ({ url }: { readonly url: string }, apiKey = 'any') =>
  new OpenAI({ baseURL: `${url}/v1`, apiKey, maxRetries: 0 });

const say = async (
  { url }: { readonly url: string },
  input: string,
  previous?: string,
): Promise<string> => {
  const { status, body } = await post(url, '/api/v1/chat', {
    ...calm,
    input,
    ...(previous === undefined ? {} : { previous_response_id: previous }),
  });
  expect(status, JSON.stringify(body)).toBe(200);
  return body.response_id;
};
const remove = ({ url }: { readonly url: string }, path: string) =>
  fetch(url + path, { method: 'DELETE' });

describe('a conversation in two servers', () => {
  it('continues in either as soon as its last turn was acknowledged', async () => {
    let last = await say(one, 'My boat is called Ada.');
    for (let turn = 0; turn < 6; turn += 1)
      last = await say(turn % 2 ? one : two, 'Continue.', last);
    for (const { url } of [one, two]) {
      const { body } = await get(url, '/api/v1/conversations?search=Ada');
      expect(body.conversations).toMatchObject([{ response_count: 7, last_response_id: last }]);
    }
  });

  it('takes turns of both at once', async () => {
    const first = await say(one, 'Begin.');
    const branches = await Promise.all(
      Array.from({ length: 8 }, (_, index) => say(index % 2 ? one : two, `Branch ${index}`, first)),
    );
    expect(new Set(branches).size).toBe(8);
    const { body } = await get(one.url, '/api/v1/conversations?search=Branch%207');
    expect(body.conversations).toMatchObject([{ response_count: 9 }]);
  });

  it('forgets in one what was deleted in the other, also while that answers', async () => {
    const first = await say(two, 'A secret.');
    const second = await say(two, 'Continue.', first);
    const stream = await openStream(two.url, '/api/v1/chat', {
      model: endlessModel,
      input: 'Hello!',
      previous_response_id: second,
      max_output_tokens: 400,
    });
    await stream.until('message.delta');
    const { body } = await get(one.url, '/api/v1/conversations?search=secret');
    const [{ conversation_id: id }] = body.conversations;
    expect((await remove(one, `/api/v1/conversations/${id}`)).status).toBe(200);
    const events = await stream.rest();
    expect(events.some(({ data }) => data.includes('it was deleted'))).toBe(true);
    const { status } = await post(two.url, '/api/v1/chat', {
      ...calm,
      input: 'Continue.',
      previous_response_id: second,
    });
    expect(status).toBe(400);
  });

  it('reads in one the parts that are left when the other has deleted one', async () => {
    const there = connect(two);
    const conversation = await there.conversations.create({
      items: [{ type: 'message', role: 'user', content: 'The password is a long sentence.' }],
    });
    const count = () =>
      there.responses.inputTokens.count({ model, input: 'Hi', conversation: conversation.id });
    const before = await count();
    const [item] = (await there.conversations.items.list(conversation.id)).data;
    await connect(one).conversations.items.delete(item?.id ?? '', {
      conversation_id: conversation.id,
    });
    expect((await count()).input_tokens).toBeLessThan(before.input_tokens);
  });

  it('is locked in both while a response of OpenAI is generated', async () => {
    const { id: conversation } = await connect(one).conversations.create({});
    const running = await connect(one).responses.create({
      model: endlessModel,
      input: 'Hello!',
      background: true,
      conversation,
    });
    const ask = () =>
      connect(two).responses.create({ model, input: 'Hi', max_output_tokens: 16, conversation });
    await expect(ask()).rejects.toMatchObject({ status: 409, code: 'conversation_locked' });
    await connect(two).responses.cancel(running.id);
    expect(await ask()).toMatchObject({ conversation: { id: conversation } });
  });
});

it('refuses a token everywhere that one server has revoked, and ends its streams', async () => {
  const make = async (permissions: string) => {
    const { stdout } = await runHearth(
      ['token', 'create', '--name', 'x', '--permissions', permissions, '--json'],
      { home: one.home, environment: await environment() },
    );
    return JSON.parse(stdout) as { readonly id: string; readonly token: string };
  };
  const [guest, admin] = [await make('admin'), await make('admin')];
  const as = ({ token }: { readonly token: string }) => ({
    headers: { authorization: `Bearer ${token}` },
  });
  expect((await get(two.url, '/api/v1/models', as(guest))).status).toBe(200);
  const stream = await followStream(two.url, '/api/v1/events', as(guest));
  const revoked = await fetch(`${one.url}/api/v1/tokens/${guest.id}`, {
    method: 'DELETE',
    ...as(admin),
  });
  expect(revoked.status).toBe(200);
  expect((await get(two.url, '/api/v1/models', as(guest))).status).toBe(401);
  // Without the cancellation, the stream would not end.
  await stream.rest();
});

describe('a response in the background of the other server', () => {
  async function start(body: Record<string, unknown>): Promise<string> {
    const live = await openStream(one.url, '/api/v1/chat', {
      background: true,
      temperature: 0,
      ...body,
    });
    const event = await live.until('chat.start');
    await live.until('message.delta');
    live.disconnect();
    return JSON.parse(event.data).response_id;
  }
  const follow = async (url: string, id: string, after?: number) => {
    const stream = await followStream(
      url,
      `/api/v1/responses/${id}/events`,
      after === undefined ? {} : { headers: { 'last-event-id': String(after) } },
    );
    return stream.rest();
  };

  it('is followed while it runs and afterwards, from any event', async () => {
    const id = await start({ model: endlessModel, input: 'Hello!', max_output_tokens: 100 });
    const followed = await follow(two.url, id);
    expect(followed).toEqual(await follow(one.url, id));
    expect(followed.at(-1)?.data).toContain(`"response_id":"${id}"`);
    expect(await follow(two.url, id, 5)).toEqual(await follow(one.url, id, 5));
    expect(await follow(two.url, id, 100_000)).toEqual([]);
    const stored = await get(two.url, `/api/v1/responses/${id}`);
    expect(stored.body.interrupted).toBeUndefined();
  });

  it('has its status, is cancelled, and can be deleted only when it has ended', async () => {
    const id = await start({ model: endlessModel, input: 'Hello!' });
    const seen = async () => (await connect(two).responses.retrieve(id)).status;
    await expect.poll(seen).toBe('in_progress');
    expect((await remove(two, `/api/v1/responses/${id}`)).status).toBe(409);
    const { status, body } = await post(two.url, `/api/v1/responses/${id}/cancel`, {});
    expect(status).toBe(200);
    expect(body).toMatchObject({ response_id: id, interrupted: true });
    expect(body.output.at(-1).content).not.toBe('');
    expect(await connect(two).responses.retrieve(id)).toMatchObject({ status: 'cancelled' });
    expect((await remove(two, `/api/v1/responses/${id}`)).status).toBe(200);
    expect((await get(one.url, `/api/v1/responses/${id}`)).status).toBe(404);
  });

  it('streams to the clients of OpenAI, with all of its events', async () => {
    const created = await connect(one).responses.create({
      model: endlessModel,
      input: 'Hello!',
      background: true,
      max_output_tokens: 60,
      metadata: { project: 'sea' },
    });
    const types: string[] = [];
    let last: OpenAI.Responses.Response | undefined;
    for await (const event of await connect(two).responses.retrieve(created.id, { stream: true })) {
      types.push(event.type);
      if (event.type === 'response.incomplete') last = event.response;
    }
    expect(types.slice(0, 3)).toEqual([
      'response.created',
      'response.queued',
      'response.in_progress',
    ]);
    expect(last).toMatchObject({ id: created.id, metadata: { project: 'sea' } });
    expect(await connect(two).responses.retrieve(created.id)).toMatchObject({
      output: last?.output,
    });
  });

  it('ends with an error when its server is killed, and keeps the output', async () => {
    const id = await start({ model: endlessModel, input: 'A lighthouse.' });
    const live = await followStream(two.url, `/api/v1/responses/${id}/events`);
    await live.until('message.delta');
    await one.kill();
    const rest = await live.rest();
    const written = JSON.parse(rest.at(-1)?.data ?? '{}').result.output.at(-1).content as string;
    expect(rest.slice(-2).map(({ data }) => JSON.parse(data))).toMatchObject([
      { type: 'error', error: { code: 'interrupted' } },
      { type: 'chat.end', result: { response_id: id } },
    ]);
    expect(written).not.toBe('');
    const { body } = await get(two.url, `/api/v1/responses/${id}`);
    expect(body).toMatchObject({ response_id: id, interrupted: true });
    expect(body.output.at(-1)).toEqual({ type: 'message', content: written });
    const next = await say(two, 'Continue.', id);
    await one.restart();
    await say(one, 'And more.', next);
    expect((await follow(one.url, id)).at(-1)).toEqual(rest.at(-1));
  });
});

it('continues in one server the batch of the other that was killed', async () => {
  const client = connect(two);
  const lines = Array.from({ length: 20 }, (_, index) =>
    JSON.stringify({
      custom_id: `request-${index}`,
      method: 'POST',
      url: '/v1/chat/completions',
      body: { model, messages: [{ role: 'user', content: `Count to ${index}.` }], max_tokens: 32 },
    }),
  );
  const file = await toFile(Buffer.from(lines.join('\n')), 'requests.jsonl');
  const batch = await connect(one).batches.create({
    input_file_id: (await connect(one).files.create({ file, purpose: 'batch' })).id,
    endpoint: '/v1/chat/completions',
    completion_window: '24h',
  });
  const done = async () => (await client.batches.retrieve(batch.id)).request_counts?.completed ?? 0;
  await expect.poll(done).toBeGreaterThan(0);
  await one.kill();
  const reached = async () => (await client.batches.retrieve(batch.id)).status;
  await expect.poll(reached, { timeout: 90_000 }).toBe('completed');
  const { output_file_id: output } = await client.batches.retrieve(batch.id);
  const results = (await (await client.files.content(output ?? '')).text()).trim().split('\n');
  expect(results).toHaveLength(20);
  await one.restart();
});

it('counts the requests of a token in both servers for its limit', async () => {
  const { stdout } = await runHearth(
    ['token', 'create', '--name', 'x', '--requests-per-minute', '4', '--json'],
    { home: one.home, environment: await environment() },
  );
  const { token } = JSON.parse(stdout) as { readonly token: string };
  const ask = ({ url }: { readonly url: string }) =>
    post(
      url,
      '/api/v1/chat',
      { ...calm, input: 'Hi' },
      {
        headers: { authorization: `Bearer ${token}` },
      },
    );
  const answers = await Promise.all([one, two, one, two, one, two].map(ask));
  expect(answers.map(({ status }) => status).toSorted((left, right) => left - right)).toEqual([
    200, 200, 200, 200, 429, 429,
  ]);
});
