import { createParser } from 'eventsource-parser';
import OpenAI from 'openai';
import type { ResponseStreamEvent } from 'openai/resources/responses/responses';
import { describe, expect, it } from 'vitest';
import { chatEventSchema } from '../../src/api/v1/chat/chat-event-schema.ts';
import { openAiResponseSchema } from '../../src/api/openai/responses/response-schema.ts';
import { endlessModel, placeEndlessModel } from '../setup/models/endless-model.ts';
import { get, post } from '../setup/server/api.ts';
import { openStream } from '../setup/server/live-stream.ts';
import { useHearth } from '../setup/server/use-hearth.ts';

const hearth = useHearth(async (home) => {
  await placeEndlessModel(home);
  return { flags: ['--limits-shutdown-seconds=1'] };
});
const model = 'hearth/starter-chat';
const connect = () => new OpenAI({ baseURL: `${hearth.url}/v1`, apiKey: 'any', maxRetries: 0 });

interface IdentifiedEvent {
  readonly id: number;
  readonly type: string;
  readonly data: any; // oxlint-disable-line typescript/no-explicit-any
}

/** Reads the events of a background response to the end. */
async function follow(id: string, after?: number | ''): Promise<readonly IdentifiedEvent[]> {
  const response = await fetch(`${hearth.url}/api/v1/responses/${id}/events`, {
    headers: after === undefined ? {} : { 'last-event-id': String(after) },
  });
  expect(response.status).toBe(200);
  const events: IdentifiedEvent[] = [];
  const parser = createParser({
    onEvent: ({ id: eventId, event, data }) => {
      const parsed = chatEventSchema.parse(JSON.parse(data));
      expect(parsed.type).toBe(event);
      events.push({ id: Number(eventId), type: parsed.type, data: parsed });
    },
  });
  parser.feed(await response.text());
  return events;
}

/** Starts a chat in the background, reads its first words and disconnects. */
async function startAndLeave(body: Record<string, unknown>): Promise<string> {
  const live = await openStream(hearth.url, '/api/v1/chat', {
    background: true,
    temperature: 0,
    ...body,
  });
  const start = JSON.parse((await live.until('chat.start')).data);
  await live.until('message.delta');
  live.disconnect();
  expect(start.response_id).toMatch(/^resp_[0-9a-f]{48}$/);
  return start.response_id;
}
const cancel = (id: string) => post(hearth.url, `/api/v1/responses/${id}/cancel`, {});

describe('a v1 chat in the background', () => {
  // covers v1-event-14, v1-event-15
  it('continues when its client leaves; its events are replayed from any of them', async () => {
    const id = await startAndLeave({ model, input: 'Count from 3 to 9.', temperature: 0 });
    const all = await follow(id);
    expect(all[0]).toMatchObject({ type: 'chat.start', data: { response_id: id } });
    expect(all.at(-1)).toMatchObject({ type: 'chat.end', data: { result: { response_id: id } } });
    const ids = all.map((event) => event.id);
    expect(ids).toEqual(ids.toSorted((one, other) => one - other));
    expect(new Set(ids).size).toBe(ids.length);
    const third = all[3];
    expect(await follow(id, third?.id)).toEqual(all.slice(4));
    expect(await follow(id, all.at(-1)?.id)).toEqual([]);
    expect(await follow(id, '')).toEqual(all);
    const text = all.map(({ type, data }) => (type === 'message.delta' ? data.content : ''));
    const stored = await get(hearth.url, `/api/v1/responses/${id}`);
    expect(stored.body.output.at(-1)).toEqual({ type: 'message', content: text.join('') });
    expect(stored.body.interrupted).toBeUndefined();
    expect((await cancel(id)).body).toEqual(stored.body);
  });

  it('answers whole without a stream', async () => {
    const { status, body } = await post(hearth.url, '/api/v1/chat', {
      model,
      input: 'Hello!',
      background: true,
    });
    expect(status).toBe(200);
    expect(body.output.at(-1).type).toBe('message');
    expect((await get(hearth.url, `/api/v1/responses/${body.response_id}`)).status).toBe(200);
  });

  // covers v1-event-16
  it('is cancelled, and what it wrote can be continued', async () => {
    const id = await startAndLeave({ model: endlessModel, input: 'Hello!' });
    const following = follow(id);
    const running = await fetch(`${hearth.url}/api/v1/responses/${id}`, { method: 'DELETE' });
    expect(running.status).toBe(409);
    const { status, body } = await cancel(id);
    expect(status).toBe(200);
    expect(body).toMatchObject({ response_id: id, interrupted: true });
    expect(body.output.at(-1).content).not.toBe('');
    const events = await following;
    expect(events.slice(-2)).toMatchObject([
      { type: 'error', data: { error: { code: 'cancelled' } } },
      { type: 'chat.end' },
    ]);
    expect(await connect().responses.retrieve(id)).toMatchObject({
      status: 'cancelled',
      background: true,
      error: null,
    });
    const next = await post(hearth.url, '/api/v1/chat', {
      model,
      input: 'Hello again!',
      previous_response_id: id,
      max_output_tokens: 4,
    });
    expect(next.status).toBe(200);
    const removed = await fetch(`${hearth.url}/api/v1/responses/${id}`, { method: 'DELETE' });
    expect(removed.status).toBe(200);
    expect((await get(hearth.url, `/api/v1/responses/${id}/events`)).status).toBe(404);
  });

  // covers v1-event-17
  it('is refused without a store, with unknown ids, and beyond the limit', async () => {
    const unstored = await post(hearth.url, '/api/v1/chat', {
      model,
      input: 'x',
      background: true,
      store: false,
    });
    expect(unstored).toMatchObject({ status: 400, body: { error: { param: 'background' } } });
    const missing = await post(hearth.url, '/api/v1/chat', {
      model: 'none/none',
      input: 'x',
      background: true,
      stream: true,
    });
    expect(missing).toMatchObject({ status: 404, body: { error: { code: 'model_not_found' } } });
    const unknown = `resp_${'0'.repeat(48)}`;
    expect((await get(hearth.url, `/api/v1/responses/${unknown}/events`)).status).toBe(404);
    expect((await cancel(unknown)).status).toBe(404);
    const ids = [await startAndLeave({ model: endlessModel, input: 'One' })];
    while (ids.length < 16) {
      const request = { model: endlessModel, input: 'Another', background: true };
      ids.push((await connect().responses.create(request)).id);
    }
    const wrong = await get(hearth.url, `/api/v1/responses/${ids[0]}/events`, {
      headers: { 'last-event-id': 'first' },
    });
    expect(wrong).toMatchObject({ status: 400, body: { error: { param: 'last-event-id' } } });
    const further = await post(hearth.url, '/api/v1/chat', { model, input: 'x', background: true });
    expect(further).toMatchObject({ status: 429, body: { error: { code: 'queue_full' } } });
    for (const id of ids) await cancel(id);
  });

  it('is stored when the server stops', async () => {
    const id = await startAndLeave({ model: endlessModel, input: 'Hello!' });
    await hearth.stop();
    await hearth.restart();
    const { body } = await get(hearth.url, `/api/v1/responses/${id}`);
    expect(body).toMatchObject({ response_id: id, interrupted: true });
    expect(body.output.at(-1).content).not.toBe('');
    expect(await connect().responses.retrieve(id)).toMatchObject({ status: 'failed' });
  });
});

async function read(stream: AsyncIterable<ResponseStreamEvent>) {
  const all: ResponseStreamEvent[] = [];
  for await (const event of stream) all.push(event);
  return all;
}

describe('an OpenAI response in the background', () => {
  it('is polled to its end', async () => {
    const client = connect();
    const request = { model, input: 'Count from 3 to 9.', temperature: 0, background: true };
    const first = await client.responses.create({ ...request, metadata: { purpose: 'test' } });
    openAiResponseSchema.parse(first);
    expect(first).toMatchObject({ background: true, metadata: { purpose: 'test' } });
    await expect
      .poll(async () => (await client.responses.retrieve(first.id)).status, { timeout: 20_000 })
      .toBe('completed');
    const last = await client.responses.retrieve(first.id);
    expect(last.output_text).not.toBe('');
    expect(last.usage?.output_tokens).toBeGreaterThan(0);
    expect(await client.responses.retrieve(first.id)).toEqual(last);
  });

  it('streams, and is resumed after any event', async () => {
    const client = connect();
    const all = await read(
      await client.responses.create({
        model,
        input: 'Count from 3 to 9.',
        background: true,
        stream: true,
      }),
    );
    expect(all.map((event) => event.sequence_number)).toEqual(all.map((_, index) => index));
    expect(all.slice(0, 3).map(({ type }) => type)).toEqual([
      'response.created',
      'response.queued',
      'response.in_progress',
    ]);
    const [created] = all;
    const last = all.at(-1);
    if (created?.type !== 'response.created' || last?.type !== 'response.completed') {
      throw new Error('incomplete stream');
    }
    const { id } = created.response;
    const resumed = await client.responses.retrieve(id, { stream: true, starting_after: 4 });
    expect(await read(resumed)).toEqual(all.slice(5));
    const again = await read(await client.responses.retrieve(id, { stream: true }));
    expect(again).toEqual(all);
  });

  it('is cancelled, twice too, with a stream that ends', async () => {
    const client = connect();
    const { id } = await client.responses.create({
      model: endlessModel,
      input: 'Hello!',
      reasoning: { effort: 'none' },
      background: true,
    });
    const events = [];
    let isCancelled = false;
    for await (const event of await client.responses.retrieve(id, { stream: true })) {
      events.push(event);
      if (event.type !== 'response.output_text.delta' || isCancelled) continue;
      isCancelled = true;
      expect(await client.responses.retrieve(id)).toMatchObject({ status: 'in_progress' });
      const cancelled = await client.responses.cancel(id);
      expect(cancelled).toMatchObject({ id, status: 'cancelled', completed_at: null });
      expect(cancelled.output_text).not.toBe('');
    }
    expect(events.at(-1)).toMatchObject({
      type: 'response.incomplete',
      response: { status: 'cancelled', incomplete_details: null },
    });
    expect(await client.responses.cancel(id)).toMatchObject({ status: 'cancelled' });
  });

  it('started by v1 is followed here', async () => {
    const id = await startAndLeave({ model, input: 'Count from 3 to 9.', system_prompt: 'Calm.' });
    const events = await read(await connect().responses.retrieve(id, { stream: true }));
    expect(events.at(-1)).toMatchObject({ type: 'response.completed', response: { id, model } });
  });

  it('is refused where it makes no sense', async () => {
    const client = connect();
    const unstored = client.responses.create({
      model,
      input: 'x',
      background: true,
      store: false,
    });
    await expect(unstored).rejects.toMatchObject({ status: 400, param: 'background' });
    const plain = await client.responses.create({ model, input: 'Hello!' });
    await expect(client.responses.cancel(plain.id)).rejects.toMatchObject({ status: 400 });
    const stream = client.responses.retrieve(plain.id, { stream: true });
    await expect(stream).rejects.toMatchObject({ status: 400, param: 'stream' });
    await expect(client.responses.cancel('resp_none')).rejects.toMatchObject({ status: 404 });
  });
});
