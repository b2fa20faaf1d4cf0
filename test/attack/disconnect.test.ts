import { once } from 'node:events';
import { connect } from 'node:net';
import { beforeAll, describe, expect, it } from 'vitest';
import { get, post, postRaw } from '../setup/server/api.ts';
import { endlessModel, placeEndlessModel } from '../setup/models/endless-model.ts';
import { instancesOf, waitForRequests } from '../setup/server/instances.ts';
import { openStream } from '../setup/server/live-stream.ts';
import { useHearth } from '../setup/server/use-hearth.ts';

const hearth = useHearth(async (home) => {
  await placeEndlessModel(home);
  return { flags: ['--engine-parallel=1'] };
});
beforeAll(async () => {
  await post(hearth.url, '/api/v1/models/load', { model: endlessModel });
});

const v0 = { model: endlessModel, messages: [{ role: 'user', content: 'Tell me a story' }] };
const requests = [
  ['/api/v1/chat', { model: endlessModel, input: 'Tell me a story' }],
  ['/api/v0/chat/completions', v0],
  ['/api/v0/completions', { model: endlessModel, prompt: 'Once upon a time' }],
] as const;
const idleWithinMs = 2000;
const waitUntilIdle = () => waitForRequests(hearth.url, endlessModel, 0, idleWithinMs);

describe('a client that goes away', () => {
  // covers v1-event-13
  it.each(requests)('stops the engine in the middle of a stream: %s', async (path, body) => {
    const running = await openStream(hearth.url, path, body);
    await running.until('a');
    await waitForRequests(hearth.url, endlessModel, 1);
    running.disconnect();
    await waitUntilIdle();
    // The only slot is free: the engine itself has stopped.
    const next = { model: endlessModel, input: 'Hello!', store: false, max_output_tokens: 3 };
    expect((await post(hearth.url, '/api/v1/chat', next)).status).toBe(200);
  });

  // covers v1-event-13
  it.each(requests)('stops the engine before the answer: %s', async (path, body) => {
    const connection = new AbortController();
    const answer = postRaw(hearth.url, path, JSON.stringify(body), { signal: connection.signal });
    await waitForRequests(hearth.url, endlessModel, 1);
    connection.abort();
    await expect(answer).rejects.toThrow('aborted');
    await waitUntilIdle();
  });

  it('leaves the queue', async () => {
    const [path, body] = requests[0];
    const running = await openStream(hearth.url, path, body);
    await running.until('delta');
    const connection = new AbortController();
    const waiting = Array.from({ length: 3 }, () =>
      postRaw(hearth.url, path, JSON.stringify(body), { signal: connection.signal }),
    );
    const queued = async () => (await instancesOf(hearth.url)).get(endlessModel)?.queued_requests;
    await expect.poll(queued).toBe(3);
    connection.abort();
    await Promise.allSettled(waiting);
    await expect.poll(queued).toBe(0);
    running.disconnect();
    await waitUntilIdle();
  });

  it('in the middle of its body is not logged as an error', async () => {
    const { hostname, port } = new URL(hearth.url);
    const socket = connect(Number(port), hostname);
    const head =
      'POST /api/v1/chat HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n';
    socket.write(`${head}Content-Length: 100\r\n\r\n{"model":`);
    await once(socket, 'connect');
    socket.destroy();
    await expect.poll(() => hearth.log().includes('"aborted":true')).toBe(true);
    const errors = hearth
      .log()
      .split('\n')
      .filter((line) => line.includes('"level":"error"'));
    expect(errors).toEqual([]);
  });
});

it('serves the others while a client reads nothing, and continues when it does', async () => {
  const residentBytes = async () =>
    Number((await get(hearth.url, '/api/v1/status')).body.memory.resident_bytes);
  // With alternatives each token is about 3 KB, which exceeds all socket buffers.
  const body = JSON.stringify({ ...v0, stream: true, logprobs: true, top_logprobs: 20 });
  const { hostname, port } = new URL(hearth.url);
  const socket = connect(Number(port), hostname);
  socket.write(
    `POST /api/v0/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
  await once(socket, 'readable');
  const before = await residentBytes();
  for (let round = 0; round < 8; round += 1) {
    const other = { model: 'hearth/starter-chat', input: 'Tell me a story', store: false };
    expect((await post(hearth.url, '/api/v1/chat', other)).status).toBe(200);
  }
  expect((await residentBytes()) - before).toBeLessThan(64 * 1024 * 1024);
  let receivedBytes = 0;
  socket.on('data', (chunk: Buffer) => {
    receivedBytes += chunk.length;
  });
  await expect.poll(() => receivedBytes, { timeout: 20_000 }).toBeGreaterThan(1024 * 1024);
  socket.destroy();
  await waitUntilIdle();
});
