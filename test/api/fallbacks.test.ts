import { readFile, writeFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { deferred } from '../setup/deferred.ts';
import { say } from '../setup/engine/open-upstream.ts';
import { sendJson, startLoopbackServer } from '../setup/net/loopback-server.ts';
import { get, post, postRaw, stream, toAnswer, type SseEvent } from '../setup/server/api.ts';
import { useHearth } from '../setup/server/use-hearth.ts';
import { useResource } from '../setup/use-resource.ts';

/** Chains of models: the first ones are on a scripted server, the last one is the starter model. */

let answer: (response: ServerResponse) => void = () => {};
let requestCount = 0;
const remote = useResource(() =>
  startLoopbackServer(({ method }, response) => {
    if (method !== 'POST') return sendJson(response, { object: 'list', data: [] });
    requestCount += 1;
    answer(response);
  }),
);
const starter = 'hearth/starter-chat';
const hearth = useHearth(async (home) => {
  const models = { small: {}, vector: { type: 'embeddings' } };
  const server = { kind: 'openai', maxConcurrent: 1, models };
  const config = {
    upstreams: {
      // Each server has its own circuit breaker.
      broken: { ...server, url: `${remote.url}/v1` },
      cloud: { ...server, url: `${remote.url}/v1` },
      lab: { ...server, url: `${remote.url}/v1` },
      down: { ...server, url: 'http://127.0.0.1:9/v1' },
    },
    models: {
      aliases: {
        coder: ['broken/small', starter],
        teller: ['cloud/small', starter],
        slow: ['lab/small', starter],
        quick: [{ model: 'lab/small', maxWaitSeconds: 0.05 }, starter],
        away: ['down/small', starter],
        warm: [{ model: 'hearth/starter-vision', when: 'loaded' }, starter],
        vectors: ['down/vector', 'hearth/starter-embed'],
        none: ['down/small', 'cloud/gone'],
      },
    },
  };
  await writeFile(join(home, 'config.json'), JSON.stringify(config));
});

const asOwner = async () => {
  const token = (await readFile(join(hearth.home, 'owner-token'), 'utf8')).trim();
  return { headers: { authorization: `Bearer ${token}` } };
};
const fail = (response: ServerResponse) => response.writeHead(500).end('{"error":"broken"}');
const breakOff = (response: ServerResponse) => {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.write(`data: ${JSON.stringify({ choices: [{ delta: { content: 'Once' } }] })}\n\n`);
  setImmediate(() => response.destroy());
};
const question = 'What is the capital of France?';
const messages = [{ role: 'user', content: question }];
const v1 = (model: string) => ({ model, input: question, temperature: 0 });
const openAi = (model: string) => ({ model, messages, temperature: 0 });
const textOf = (events: readonly SseEvent[]) =>
  events
    .filter(({ event }) => event === 'message.delta')
    .map(({ data }) => JSON.parse(data).content)
    .join('');
const latest = async () =>
  (await get(hearth.url, '/api/v1/requests?limit=1', await asOwner())).body.requests[0];

describe('a chain of models', () => {
  // covers server-30
  it('answers with the next model if the first one fails before its output', async () => {
    answer = fail;
    const whole = await post(hearth.url, '/api/v1/chat', v1('coder'));
    expect(whole.status, JSON.stringify(whole.body)).toBe(200);
    expect(whole.body).toMatchObject({ model_instance_id: starter });
    expect(whole.body.output.at(-1).content).toContain('Paris');
    expect(await latest()).toMatchObject({
      state: 'completed',
      model: starter,
      tried: [{ model: 'broken/small', reason: 'failed' }],
    });
    const events = await stream(hearth.url, '/api/v1/chat', v1('coder'));
    expect(textOf(events)).toContain('Paris');
    expect(events.filter(({ event }) => event === 'chat.start')).toHaveLength(1);
    expect(events.filter(({ event }) => event === 'error')).toEqual([]);
    const { result } = JSON.parse(events.at(-1)?.data ?? '{}');
    expect(result).toMatchObject({ model_instance_id: starter });

    const path = '/v1/chat/completions';
    const completion = await postRaw(hearth.url, path, JSON.stringify(openAi('coder')));
    expect(completion.headers.get('x-hearth-model')).toBe(starter);
    const { body } = await toAnswer(completion);
    expect(body).toMatchObject({ model: 'coder' });
    expect(body.choices[0].message.content).toContain('Paris');
    const streamed = await postRaw(
      hearth.url,
      path,
      JSON.stringify({ ...openAi('coder'), stream: true }),
    );
    expect(await streamed.text()).toContain('Paris');
    const log = await post(hearth.url, '/v1/completions', { model: 'coder', prompt: 'Paris is' });
    expect(log.status).toBe(200);
  });

  // covers server-30
  it('does not repeat an answer that has begun', async () => {
    answer = breakOff;
    requestCount = 0;
    const events = await stream(hearth.url, '/api/v1/chat', v1('teller'));
    expect(textOf(events)).toBe('Once');
    const error = events.find(({ event }) => event === 'error');
    expect(JSON.parse(error?.data ?? '{}').error).toMatchObject({ code: 'upstream_error' });
    const text = await postRaw(
      hearth.url,
      '/v1/chat/completions',
      JSON.stringify({ ...openAi('teller'), stream: true }),
    ).then((response) => response.text());
    expect(text).toContain('Once');
    expect(text).not.toContain('Paris');
    expect(requestCount).toBe(2);
  });

  it('does not wait longer than the alias says', async () => {
    const arrived = deferred<ServerResponse>();
    answer = arrived.resolve;
    const first = post(hearth.url, '/api/v1/chat', v1('slow'));
    const held = await arrived.promise;
    const second = await post(hearth.url, '/api/v1/chat', v1('quick'));
    expect(second.body).toMatchObject({ model_instance_id: starter });
    expect(await latest()).toMatchObject({ tried: [{ model: 'lab/small', reason: 'busy' }] });
    say(held, 'At last.');
    expect((await first).body.output.at(-1).content).toBe('At last.');
  });

  it('passes over a server that is down, and a model that is not loaded', async () => {
    const away = await post(hearth.url, '/api/v1/chat', v1('away'));
    expect(away.body).toMatchObject({ model_instance_id: starter });
    expect(await latest()).toMatchObject({ tried: [{ model: 'down/small', reason: 'failed' }] });
    await post(hearth.url, '/api/v1/chat', v1('away'));
    expect(await latest()).toMatchObject({ tried: [{ reason: 'failed_lately' }] });
    const warm = await post(hearth.url, '/api/v1/chat', v1('warm'));
    expect(warm.body).toMatchObject({ model_instance_id: starter });
    const vectors = { model: 'vectors', input: 'Paris' };
    expect((await post(hearth.url, '/v1/embeddings', vectors)).status).toBe(200);
  });

  it('ends with the error of its last model, and at once with one of the request', async () => {
    const none = await post(hearth.url, '/api/v1/chat', v1('none'));
    expect(none.body.error).toMatchObject({ code: 'upstream_unavailable' });
    answer = (response) => response.writeHead(400).end('{"error":{"message":"no such field"}}');
    requestCount = 0;
    const refused = await post(hearth.url, '/api/v1/chat', v1('slow'));
    expect(refused.status).toBe(400);
    expect(requestCount).toBe(1);
    const metrics = await get(hearth.url, '/metrics', await asOwner());
    expect(metrics.body).toMatch(
      /hearth_failovers_total\{from="lab\/small",to="hearth\/starter-chat",reason="busy"\} 1/u,
    );
  });
});
