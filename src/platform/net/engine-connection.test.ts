import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { createServer as createTcpServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { startLoopbackServer } from '../../../test/setup/net/loopback-server.ts';
import { temporaryFolder } from '../../../test/setup/temporary-folder.ts';
import {
  connectEngine,
  ConnectionLostError,
  readReply,
  type EngineConnection,
  type EngineStream,
} from './engine-connection.ts';

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

it('returns no body if it is not JSON', async () => {
  const connection = await connectTo((_, response) => response.end('<html>'));
  await expect(connection.getJson('/', signal)).resolves.toEqual({ status: 200, body: undefined });
});

it('forwards a stream to its end', async () => {
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
  // The end is not delayed.
  expect(Buffer.concat([...((await stream.read()) ?? [])]).toString()).toMatch(/^two(three)?$/u);
  for (let rest = await stream.read(); rest !== undefined; rest = await stream.read()) {
    expect(String(rest)).toBe('three');
  }
});

it('pauses a peer that sends faster than the reader', async () => {
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

it('throws the reason when aborted before a response', async () => {
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

it('is lost if no server listens', async () => {
  const server = await startLoopbackServer(() => {});
  await server.close();
  await expect(connect(server.url).getJson('/', signal)).rejects.toThrow(ConnectionLostError);
});

it('is lost if a stream is cut', async () => {
  const connection = await connectTo((_, response) => {
    response.write('one', () => response.destroy());
  });
  const stream = await connection.openStream('/', {}, signal);
  await expect(async () => {
    while ((await stream.read()) !== undefined);
  }).rejects.toThrow(ConnectionLostError);
});

it('retries once if a socket was closed before any response', async () => {
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

it('sends no key if there is none, and always JSON', async () => {
  const server = await startLoopbackServer(({ headers, method }, response) => {
    const { authorization = 'none', 'content-type': type } = headers;
    response.end(JSON.stringify({ method, authorization, type }));
  });
  cleanups.push(() => server.close());
  const connection = connectEngine({ address: { origin: server.url }, maxConnections: 1 });
  cleanups.push(() => connection.close());
  expect((await connection.getJson('/', signal)).body).toEqual({
    method: 'GET',
    authorization: 'none',
    type: 'application/json',
  });
});

it('connects to a unix socket', async () => {
  const socketPath = join(await temporaryFolder(), 'engine.sock');
  const server = createServer((request, response) => response.end(JSON.stringify(request.url)));
  server.listen(socketPath);
  await once(server, 'listening');
  cleanups.push(async () => {
    server.closeAllConnections();
    server.close();
  });
  const connection = connectEngine({ address: { socketPath }, maxConnections: 1 });
  cleanups.push(() => connection.close());
  expect(await connection.getJson('/props', signal)).toEqual({ status: 200, body: '/props' });
});

it('sends nothing for an aborted signal', async () => {
  let requestCount = 0;
  const connection = await connectTo((_, response) => {
    requestCount += 1;
    response.end('{}');
  });
  await expect(connection.getJson('/', AbortSignal.abort('enough'))).rejects.toBe('enough');
  expect(requestCount).toBe(0);
});

it('reports the cause of a loss', async () => {
  const connection = await connectTo((_, response) => response.destroy());
  const error: unknown = await connection.postJson('/', {}, signal).catch((caught) => caught);
  expect(error).toMatchObject({
    name: 'ConnectionLostError',
    message: 'The engine cannot be reached.',
    cause: { code: 'ECONNRESET' },
  });
});

it('does not retry if no server listens', async () => {
  const server = await startLoopbackServer(() => {});
  await server.close();
  const lost = connect(server.url).getJson('/', signal);
  await expect(lost).rejects.toMatchObject({ cause: { code: 'ECONNREFUSED' } });
});

it('does not repeat a request whose answer is not HTTP', async () => {
  let requestCount = 0;
  const server = createTcpServer((socket) => {
    socket.on('error', () => {});
    socket.on('data', () => {
      requestCount += 1;
      socket.end('this is not HTTP\r\n\r\n');
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanups.push(async () => void server.close());
  const { port } = server.address() as AddressInfo;
  const lost = connect(`http://127.0.0.1:${port}`).getJson('/', signal);
  await expect(lost).rejects.toThrow(ConnectionLostError);
  expect(requestCount).toBe(1);
});

it('closes with the requests in flight', async () => {
  const connection = await connectTo((_, response) => response.write('one'));
  const stream = await connection.openStream('/', {}, signal);
  await stream.read();
  const next = stream.read();
  await Promise.all([expect(next).rejects.toBeInstanceOf(ConnectionLostError), connection.close()]);
});

it('delays bytes that arrive too soon after the last batch', async () => {
  let response: ServerResponse | undefined;
  const connection = await connectTo(({ path }, started) => {
    if (path === '/other') return started.end();
    response = started;
    return started.write('one');
  });
  const stream = await connection.openStream('/', {}, signal);
  expect(String(await stream.read())).toBe('one');
  stream.setMinimumInterval(60_000);
  const next = stream.read();
  await new Promise<void>((resolve) => {
    response?.write('two', () => resolve());
  });
  // These bytes arrive before the answer to a later request.
  await connection.getJson('/other', signal);
  // The interval is longer than any test, so the bytes before the end are delivered with it.
  await new Promise<void>((resolve) => {
    response?.write('three', () => resolve());
  });
  response?.end();
  expect(Buffer.concat([...((await next) ?? [])]).toString()).toBe('twothree');
});

it.each([
  [{ closesAfterStream: true }, 'close'],
  [{ closesAfterStream: false }, 'keep-alive'],
  [{}, 'keep-alive'],
])('with %o, the connection of a stream is to be: %s', async (options, header) => {
  const server = await startLoopbackServer((_, response) => response.end('one'));
  cleanups.push(() => server.close());
  const connection = connectEngine({
    address: { origin: server.url },
    maxConnections: 1,
    ...options,
  });
  cleanups.push(() => connection.close());
  const stream = await connection.openStream('/', {}, signal);
  expect(String(await stream.read())).toBe('one');
  expect(server.requests[0]?.headers.connection).toBe(header);
});

it('closes the socket of a stream that is not read on', async () => {
  let gone: Promise<unknown> = Promise.resolve();
  const connection = await connectTo((_, response) => {
    gone = once(response, 'close');
    response.write('one');
  });
  const stream = await connection.openStream('/', {}, signal);
  stream.close();
  await expect(gone).resolves.toBeDefined();
});

describe('readReply', () => {
  const streamOf = (...batches: readonly (readonly Buffer[])[]) => {
    const left = [...batches];
    let isClosed = false;
    const stream: EngineStream = {
      status: 207,
      read: async () => left.shift(),
      setMinimumInterval: () => {},
      close: () => {
        isClosed = true;
      },
    };
    return { stream, isClosed: () => isClosed };
  };

  it('joins chunks, even within a character', async () => {
    const [first, second] = [Buffer.from('"é"').subarray(0, 2), Buffer.from('"é"').subarray(2)];
    const { stream } = streamOf([first], [second]);
    expect(await readReply(stream)).toEqual({ status: 207, body: 'é' });
  });

  it('accepts at most 256 MiB', async () => {
    const half = Buffer.alloc(128 * 1024 * 1024, ' ');
    const whole = streamOf([half, half]);
    expect(await readReply(whole.stream)).toEqual({ status: 207, body: undefined });
    expect(whole.isClosed()).toBe(false);
    const more = streamOf([half], [half], [Buffer.from(' ')]);
    await expect(readReply(more.stream)).rejects.toThrow(
      'The engine answered more than 268435456 bytes.',
    );
    expect(more.isClosed()).toBe(true);
  });
});
