import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { HearthError } from '../kernel/errors/errors.ts';
import { mount, type App } from '../api/kit/mount.ts';
import { listen, type ListeningServer } from './server.ts';
import { eventStream, type SseMessage } from '../api/kit/stream/sse.ts';
import { createTestApp } from '../../test/setup/http/test-app.ts';
import { echoBody, openStream, wait } from '../../test/setup/http/test-routes.ts';

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

async function serve(v1Routes: (app: App) => void, bodyBytes = 100_000) {
  const { app, logger, logLines } = createTestApp({
    v1Routes,
    settings: { 'limits.bodyBytes': bodyBytes },
  });
  const server = await listen({ app, host: '127.0.0.1', port: 0, logger });
  closers.push(() => server.close(0));
  return { server, logLines, logger };
}

async function open({
  port,
}: ListeningServer): Promise<{ socket: Socket; received: () => string }> {
  const socket = connect(port, '127.0.0.1');
  const chunks: Buffer[] = [];
  socket.on('data', (chunk) => chunks.push(chunk));
  socket.on('error', () => {});
  await once(socket, 'connect');
  closers.push(async () => {
    socket.destroy();
  });
  return { socket, received: () => Buffer.concat(chunks).toString() };
}

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`;
const post = (path: string) =>
  `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n`;

/** A handler that ends with its signal only; `seen` are the signals that it was given. */
function waiting() {
  const seen: AbortSignal[] = [];
  const forAbort = (signal: AbortSignal) =>
    new Promise<never>((_, reject) => {
      seen.push(signal);
      signal.addEventListener('abort', () => reject(signal.reason as Error));
    });
  return { seen, forAbort };
}

describe('a client that goes away', () => {
  it('aborts its request while it waits for the answer', async () => {
    const { seen, forAbort } = waiting();
    const { server, logLines } = await serve((app) => {
      mount(app, wait, ({ context }) => forAbort(context.signal));
    });
    const { socket } = await open(server);
    socket.write(get('/api/v1/wait'));
    await vi.waitFor(() => expect(seen).toHaveLength(1));
    socket.destroy();
    await vi.waitFor(() => expect(seen[0]?.aborted).toBe(true));
    await vi.waitFor(() => expect(logLines()).toMatchObject([{ level: 'info', aborted: true }]));
  });

  it('aborts its stream and returns the source', async () => {
    let signalOfRequest: AbortSignal | undefined;
    let isReturned = false;
    const { server, logLines } = await serve((app) => {
      async function* source(signal: AbortSignal): AsyncGenerator<SseMessage> {
        try {
          yield { data: 'first' };
          await waiting().forAbort(signal);
        } finally {
          isReturned = true;
        }
      }
      mount(app, openStream, async ({ context }) => {
        signalOfRequest = context.signal;
        return eventStream(source(context.signal), context);
      });
    });
    const { socket, received } = await open(server);
    socket.write(post('/api/v1/stream'));
    await vi.waitFor(() => expect(received()).toContain('data: first'));
    socket.destroy();
    await vi.waitFor(() => expect([signalOfRequest?.aborted, isReturned]).toEqual([true, true]));
    await vi.waitFor(() => expect(logLines()).toMatchObject([{ msg: 'request', aborted: true }]));
  });

  it('aborts what it sent ahead on the same connection', async () => {
    const { seen, forAbort } = waiting();
    const { server } = await serve((app) => {
      mount(app, wait, ({ context }) => forAbort(context.signal));
      mount(app, openStream, ({ context }) => forAbort(context.signal));
    });
    const { socket } = await open(server);
    socket.write(get('/api/v1/wait').repeat(20) + post('/api/v1/stream'));
    await vi.waitFor(() => expect(seen).toHaveLength(21));
    socket.destroy();
    await vi.waitFor(() => expect(seen.every((signal) => signal.aborted)).toBe(true));
  });

  it('aborts a stream that waits behind another response', async () => {
    const { seen, forAbort } = waiting();
    let isReturned = false;
    const source = {
      [Symbol.asyncIterator]: () => ({
        next: () => new Promise<never>(() => {}),
        return: async () => {
          isReturned = true;
          return { done: true as const, value: undefined };
        },
      }),
    };
    let isOpen = false;
    const { server } = await serve((app) => {
      mount(app, wait, ({ context }) => forAbort(context.signal));
      mount(app, openStream, async ({ context }) => {
        isOpen = true;
        return eventStream(source, context);
      });
    });
    const { socket } = await open(server);
    socket.write(get('/api/v1/wait') + post('/api/v1/stream'));
    await vi.waitFor(() => expect([seen.length, isOpen]).toEqual([1, true]));
    socket.destroy();
    await vi.waitFor(() => expect(isReturned).toBe(true));
  });

  it('is not an error while it sends its body', async () => {
    const { server, logLines } = await serve((app) => {
      mount(app, echoBody, async ({ body }) => body);
    });
    const { socket } = await open(server);
    socket.write(
      'POST /api/v1/echo HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"text":',
      () => socket.destroy(),
    );
    await vi.waitFor(() => expect(logLines()).toMatchObject([{ level: 'info', status: 499 }]));
  });
});

describe('a silent stream', () => {
  // covers v1-event-12
  it('carries comments', async () => {
    const { server } = await serve((app) => {
      async function* source(signal: AbortSignal): AsyncGenerator<SseMessage> {
        yield { data: 'first' };
        await waiting().forAbort(signal);
      }
      mount(app, openStream, async ({ context }) =>
        eventStream(source(context.signal), { ...context, heartbeatMs: 10 }),
      );
    });
    const { socket, received } = await open(server);
    socket.write(post('/api/v1/stream'));
    await vi.waitFor(() => expect(received().match(/: ping\n\n/g)?.length).toBeGreaterThan(2));
    expect(received()).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  });
});

describe('a body beyond the limit', () => {
  const head =
    'POST /api/v1/echo HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n';

  it.each(['Content-Length: 100001\r\n\r\n', 'Transfer-Encoding: chunked\r\n\r\n'])(
    'is refused: %j',
    async (framing) => {
      const { server } = await serve((app) => {
        mount(app, echoBody, async ({ body }) => body);
      });
      const { socket, received } = await open(server);
      socket.write(head + framing);
      const chunk = `2710\r\n${'a'.repeat(10_000)}\r\n`;
      if (framing.startsWith('T')) for (let sent = 0; sent < 20; sent += 1) socket.write(chunk);
      await vi.waitFor(() => expect(received()).toContain('413 Payload Too Large'));
      expect(received()).toContain('body_too_large');
    },
  );

  it('within it, comes in chunks', async () => {
    const { server } = await serve((app) => {
      mount(app, echoBody, async ({ body }) => body);
    });
    const { socket, received } = await open(server);
    socket.write(
      `${head}Transfer-Encoding: chunked\r\n\r\n8\r\n{"text":\r\n4\r\n"a"}\r\n0\r\n\r\n`,
    );
    await vi.waitFor(() => expect(received()).toContain('{"text":"a","count":1}'));
  });
});

describe('a request that is not HTTP', () => {
  it.each([
    ['GET /health HTTP/1.1\r\n\r\n', /^HTTP\/1\.1 400.*Host header is missing/s],
    ['GET /health HTTP/1.0\r\n\r\n', /^HTTP\/1\.1 400.*Host header is missing/s],
    ['GET http://localhost/health HTTP/1.1\r\n\r\n', /^HTTP\/1\.1 400.*exactly one Host/s],
    [
      'GET /health HTTP/1.1\r\nHost: localhost\r\nhost: attacker.example\r\n\r\n',
      /^HTTP\/1\.1 400.*exactly one Host/s,
    ],
    ['GET / HTTP/1.1\r\nHost: a b\r\n\r\n', /^HTTP\/1\.1 400.*invalid_value/s],
    ['GET http://attacker.example/health HTTP/1.1\r\nHost: localhost\r\n\r\n', /^HTTP\/1\.1 403/],
    ['GET /health HTTP/1.1\r\nHost: attacker.example\r\n\r\n', /^HTTP\/1\.1 403/],
    ['GET /health HTTP/1.1\r\nHost: localhost:80@attacker.example\r\n\r\n', /^HTTP\/1\.1 40[03]/],
    [`GET /${'a'.repeat(9000)} HTTP/1.1\r\nHost: localhost\r\n\r\n`, /^HTTP\/1\.1 400/],
    [
      'POST /api/v1/echo HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\n{}',
      /^HTTP\/1\.1 415/,
    ],
    [
      'POST /api/v1/echo HTTP/1.1\r\nHost: localhost\r\nContent-Type:\tapplication/json;\ttext/plain\r\nContent-Length: 2\r\n\r\n{}',
      /^HTTP\/1\.1 415/,
    ],
    [
      'POST /api/v1/echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}',
      /^HTTP\/1\.1 400/,
    ],
    ['GET /../../etc/passwd HTTP/1.1\r\nHost: localhost\r\n\r\n', /^HTTP\/1\.1 404/],
    ['\x16\x03\x01\x02\x00', /^HTTP\/1\.1 400/],
  ])('%j', async (text, answer) => {
    const { server } = await serve((app) => {
      mount(app, echoBody, async ({ body }) => body);
    });
    const { socket, received } = await open(server);
    socket.write(text);
    await vi.waitFor(() => expect(received()).toMatch(answer));
  });
});

it.each(['Host: a b', 'X-Header: no host', 'Host: localhost\r\nHost: localhost'])(
  'gives a request that the app never sees an id, the usual headers and a line in the log: %j',
  async (header) => {
    const { server, logLines } = await serve(() => {});
    const { socket, received } = await open(server);
    socket.write(`GET /health HTTP/1.1\r\n${header}\r\n\r\n`);
    await vi.waitFor(() => expect(received()).toMatch(/^HTTP\/1\.1 400/));
    const requestId = /^x-request-id: (.+)$/im.exec(received())?.[1]?.trim();
    expect(received()).toMatch(/^x-content-type-options: nosniff/im);
    expect(received()).toMatch(/^cache-control: no-store/im);
    expect(logLines()).toContainEqual(expect.objectContaining({ requestId, status: 400 }));
  },
);

describe('listen', () => {
  it('says where it listens', async () => {
    const { server } = await serve(() => {});
    expect(server.url).toBe(`http://127.0.0.1:${server.port}`);
    expect(await (await fetch(`${server.url}/health`)).json()).toEqual({ status: 'ok' });
    expect(await (await fetch(`${server.url}/ready`)).json()).toEqual({ status: 'ready' });
  });

  it('says what to do where the port is taken', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const address = other.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const { app, logger } = createTestApp();
    await expect(listen({ app, host: '127.0.0.1', port, logger })).rejects.toThrow(
      `Can't listen on 127.0.0.1, port ${port}: another program uses it. Stop that one, or choose another port`,
    );
    other.close();
  });

  it('reports where the address is not of this machine', async () => {
    const { app, logger } = createTestApp();
    await expect(listen({ app, host: '192.0.2.1', port: 0, logger })).rejects.toThrow(
      'no network interface',
    );
  });
});

describe('close', () => {
  it('lets a running request finish, and refuses others without hiding that it lives', async () => {
    let finish = (): void => {};
    let isRunning = false;
    const { server } = await serve((app) => {
      mount(app, wait, () => {
        isRunning = true;
        return new Promise((resolve) => {
          finish = () => resolve({ done: true });
        });
      });
    });
    const idle = await open(server);
    idle.socket.write(get('/health'));
    await vi.waitFor(() => expect(idle.received()).toContain('ok'));
    const answer = fetch(`${server.url}/api/v1/wait`);
    await vi.waitFor(() => expect(isRunning).toBe(true));
    const closed = server.close(60_000);
    for (const path of ['/ready', '/api/v1/wait']) {
      const refused = await fetch(`${server.url}${path}`);
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5']);
      expect(await refused.json()).toMatchObject({
        error: { type: 'unavailable', code: 'shutting_down' },
      });
    }
    // Its body never comes; `close` does not wait for it.
    const unfinished = await open(server);
    unfinished.socket.write(post('/api/v1/echo').replace(': 0', ': 9'));
    await vi.waitFor(() => expect(unfinished.received()).toContain('shutting_down'));
    expect((await fetch(`${server.url}/health`)).status).toBe(200);
    finish();
    expect(await (await answer).json()).toEqual({ done: true });
    await closed;
    await expect(fetch(`${server.url}/health`)).rejects.toThrow('fetch failed');
    await vi.waitFor(() => expect(idle.socket.destroyed || idle.socket.readableEnded).toBe(true));
  });

  it('refuses what still comes on an open connection', async () => {
    const { forAbort, seen } = waiting();
    const { server } = await serve((app) => {
      mount(app, wait, ({ context }) => forAbort(context.signal));
    });
    const { socket, received } = await open(server);
    socket.write(get('/api/v1/wait'));
    await vi.waitFor(() => expect(seen).toHaveLength(1));
    const closed = server.close(200);
    socket.write(get('/ready'));
    await closed;
    await vi.waitFor(() => expect(received().match(/503 Service Unavailable/g)).toHaveLength(2));
    expect(received().match(/shutting_down/g)).toHaveLength(2);
  });

  it('tells those that run too long, and lets a stream say it', async () => {
    const { seen, forAbort } = waiting();
    const { server } = await serve((app) => {
      async function* source(signal: AbortSignal): AsyncGenerator<SseMessage> {
        yield { data: 'first' };
        const reason: unknown = await forAbort(signal).catch((error: unknown) => error);
        yield { data: reason instanceof HearthError ? reason.code : 'cut' };
      }
      mount(app, wait, ({ context }) => forAbort(context.signal));
      mount(app, openStream, async ({ context }) => eventStream(source(context.signal), context));
    });
    const stream = await open(server);
    stream.socket.write(post('/api/v1/stream'));
    const answer = fetch(`${server.url}/api/v1/wait`);
    await vi.waitFor(() => expect(seen).toHaveLength(2));
    await server.close(0);
    expect((await answer).status).toBe(503);
    await vi.waitFor(() => expect(stream.received()).toContain('data: shutting_down\n\n'));
  });

  it('cuts what does not heed its signal', async () => {
    let isRunning = false;
    const { server } = await serve((app) => {
      mount(app, wait, () => {
        isRunning = true;
        return new Promise(() => {});
      });
    });
    const answer = fetch(`${server.url}/api/v1/wait`);
    const failure = answer.catch((error: unknown) => error);
    await vi.waitFor(() => expect(isRunning).toBe(true));
    await server.close(0);
    expect(await failure).toBeInstanceOf(TypeError);
  });
});
