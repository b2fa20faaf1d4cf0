import type { ServerResponse } from 'node:http';
import { afterEach, expect, it, vi } from 'vitest';
import { startLoopbackServer } from '../../test/setup/net/loopback-server.ts';
import { connectEngine, type EngineConnection, ConnectionLostError } from './engine-connection.ts';

const { signal } = new AbortController();
const cleanups: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

type Answer = Parameters<typeof startLoopbackServer>[0];

async function connectTo(answer: Answer): Promise<EngineConnection> {
  const server = await startLoopbackServer(answer);
  cleanups.push(() => server.close());
  return connect(server.url);
}

function connect(origin: string): EngineConnection {
  const connection = connectEngine({ address: { origin }, apiKey: 'secret', maxConnections: 2 });
  cleanups.push(() => connection.close());
  return connection;
}

it('posts JSON with its key and reads JSON', async () => {
  const connection = await connectTo(({ body, headers, path }, response) => {
    response.statusCode = 201;
    response.end(JSON.stringify({ path, authorization: headers.authorization, got: body }));
  });
  await expect(connection.postJson('/x', { a: 1 }, signal)).resolves.toEqual({
    status: 201,
    body: { path: '/x', authorization: 'Bearer secret', got: '{"a":1}' },
  });
});

it('gives no body for what is not JSON', async () => {
  const connection = await connectTo((_, response) => response.end('<html>'));
  await expect(connection.getJson('/', signal)).resolves.toEqual({ status: 200, body: undefined });
});

it('hands a stream on as it comes, to its end', async () => {
  let response: ServerResponse | undefined;
  const connection = await connectTo((_, started) => {
    response = started;
    started.write('one');
  });
  const stream = await connection.openStream('/', {}, signal);
  expect(String(await stream.read())).toBe('one');
  stream.setMinimumInterval(60_000);
  response?.write('two');
  response?.end('three');
  // The end waits for nothing.
  expect(Buffer.concat([...((await stream.read()) ?? [])]).toString()).toMatch(/^two(three)?$/u);
  for (let rest = await stream.read(); rest !== undefined; rest = await stream.read()) {
    expect(String(rest)).toBe('three');
  }
});

it('pauses a peer that sends more than is read', async () => {
  const chunk = Buffer.alloc(1024 * 1024);
  let writtenBytes = 0;
  const connection = await connectTo((_, response) => {
    const write = (): void => {
      writtenBytes += chunk.length;
      if (writtenBytes > 256 * chunk.length) response.end();
      else if (response.write(chunk)) setImmediate(write);
      else response.once('drain', write);
    };
    write();
  });
  const stream = await connection.openStream('/', {}, signal);
  let lastBytes = -1;
  await vi.waitFor(() => {
    const isStill = writtenBytes === lastBytes;
    lastBytes = writtenBytes;
    expect(isStill).toBe(true);
  });
  expect(writtenBytes).toBeLessThan(128 * chunk.length);
  let readBytes = 0;
  for (let batch = await stream.read(); batch !== undefined; batch = await stream.read()) {
    for (const { length } of batch) readBytes += length;
  }
  expect(readBytes).toBe(256 * chunk.length);
});

it('closes the socket and throws the reason when aborted', async () => {
  let isClosed = false;
  const connection = await connectTo((_, response) => {
    response.once('close', () => (isClosed = true));
    response.write('one');
  });
  const controller = new AbortController();
  const stream = await connection.openStream('/', {}, controller.signal);
  await stream.read();
  const next = stream.read();
  controller.abort('enough');
  await expect(next).rejects.toBe('enough');
  await vi.waitFor(() => expect(isClosed).toBe(true));
});

it('throws the reason when aborted before there is an answer', async () => {
  const controller = new AbortController();
  const connection = await connectTo(() => controller.abort('enough'));
  await expect(connection.postJson('/', {}, controller.signal)).rejects.toBe('enough');
});

it('throws the reason when aborted while it waits for a socket', async () => {
  const connection = await connectTo((_, response) => response.write('one'));
  await connection.openStream('/', {}, signal);
  await connection.openStream('/', {}, signal);
  const controller = new AbortController();
  const third = connection.openStream('/', {}, controller.signal);
  controller.abort('enough');
  await expect(third).rejects.toBe('enough');
});

it('is lost when nobody listens', async () => {
  const server = await startLoopbackServer(() => {});
  await server.close();
  await expect(connect(server.url).getJson('/', signal)).rejects.toThrow(ConnectionLostError);
});

it('is lost when a stream breaks off', async () => {
  const connection = await connectTo((_, response) => {
    response.write('one', () => response.destroy());
  });
  const stream = await connection.openStream('/', {}, signal);
  await expect(async () => {
    while ((await stream.read()) !== undefined);
  }).rejects.toThrow(ConnectionLostError);
});

it('tries once more when a socket was closed before any answer', async () => {
  let requestCount = 0;
  const connection = await connectTo((_, response) => {
    requestCount += 1;
    if (requestCount === 1) response.destroy();
    else response.end('{}');
  });
  await expect(connection.postJson('/', {}, signal)).resolves.toEqual({ status: 200, body: {} });
});

it('is lost when the socket is closed again', async () => {
  const connection = await connectTo((_, response) => response.destroy());
  await expect(connection.postJson('/', {}, signal)).rejects.toThrow(ConnectionLostError);
});
