import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, createServer as createTcpServer, type AddressInfo, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { startLoopbackServer } from '../../../test/setup/net/loopback-server.ts';
import { createHttpClient, type HttpClient, type HttpGetOptions } from './http-client.ts';
import { HttpFailure } from './http-failure.ts';

/** Redirects, bodies and proxies of outbound requests, tested through the client. */

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

type Answer = Parameters<typeof startLoopbackServer>[0];

const { signal } = new AbortController();

async function serve(answer: Answer) {
  const server = await startLoopbackServer(answer);
  cleanups.push(() => server.close());
  return { ...server, host: new URL(server.url).host };
}

function open(options: Partial<Parameters<typeof createHttpClient>[0]> = {}): HttpClient {
  const client = createHttpClient({ environment: {}, idleTimeoutMs: 5000, ...options });
  cleanups.push(() => client.close());
  return client;
}

async function read(client: HttpClient, url: string, options: Partial<HttpGetOptions> = {}) {
  const response = await client.get(new URL(url), { signal, maxBytes: 1e6, ...options });
  const pieces: Uint8Array[] = [];
  for await (const piece of response.body) pieces.push(piece);
  return { ...response, text: Buffer.concat(pieces).toString() };
}

/** A port that closes its first connection; `received` are the bytes that it got before. */
async function listenOnce() {
  const server = createTcpServer();
  const received = once(server, 'connection').then(async ([connection]: Socket[]) => {
    connection?.on('error', () => {});
    const [bytes] = connection === undefined ? [] : await once(connection, 'data');
    connection?.destroy();
    return bytes as Buffer;
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanups.push(async () => void server.close());
  return { received, port: (server.address() as AddressInfo).port };
}

const failureOf = async (url: string, options: Partial<HttpGetOptions> = {}) => {
  const failure: unknown = await read(open(), url, options).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(HttpFailure);
  return failure as HttpFailure;
};

describe('a redirect', () => {
  it.each([301, 302, 303, 307, 308])('with %i is followed, with its query', async (status) => {
    const server = await serve(({ path }, response) => {
      if (path === '/?a=1') response.writeHead(status, { location: '/there?b=2' }).end();
      else response.end(path);
    });
    const { text, url } = await read(open(), `${server.url}/?a=1`);
    expect([text, url.href]).toEqual(['/there?b=2', `${server.url}/there?b=2`]);
  });

  it.each([300, 304, 305, 306, 309])('with %i is not followed', async (status) => {
    const server = await serve((_, response) => {
      response.writeHead(status, { location: '/there' }).end();
    });
    expect(await failureOf(server.url)).toMatchObject({ reason: 'status', status });
    expect(server.requests).toHaveLength(1);
  });

  it('to the same origin keeps the headers', async () => {
    const server = await serve(({ path, headers }, response) => {
      if (path === '/') response.writeHead(302, { location: '/there' }).end();
      else response.end(headers.authorization);
    });
    const headers = { authorization: 'secret' };
    expect((await read(open(), server.url, { headers })).text).toBe('secret');
  });

  it.each([
    ['http://:0/', 'redirects to an invalid address'],
    ['ftp://example.com/', 'redirects to ftp://, refused'],
  ])('to %s is rejected', async (location, text) => {
    const server = await serve((_, response) => response.writeHead(302, { location }).end());
    expect(await failureOf(server.url)).toMatchObject({
      reason: 'redirect',
      message: `${server.host} ${text}`,
    });
  });

  it('with two locations is rejected', async () => {
    const server = await serve((_, response) => {
      response.writeHead(302, ['location', '/a', 'location', '/b']).end();
    });
    expect(await failureOf(server.url)).toMatchObject({
      message: `${server.host} redirects to an invalid address`,
    });
    expect(server.requests).toHaveLength(1);
  });

  it('from http to https is followed', async () => {
    const { received, port } = await listenOnce();
    const server = await serve((_, response) => {
      response.writeHead(302, { location: `https://127.0.0.1:${port}/` }).end();
    });
    // The target gets the first bytes of TLS: a handshake record.
    await expect(read(open(), server.url)).rejects.toMatchObject({ reason: 'unreachable' });
    expect((await received)[0]).toBe(0x16);
  });

  it('is followed five times, no more', async () => {
    const server = await serve(({ path }, response) => {
      const left = Number(path.slice(1));
      if (left === 0) response.end('there');
      else response.writeHead(302, { location: `/${left - 1}` }).end();
    });
    expect((await read(open(), `${server.url}/5`)).text).toBe('there');
    expect(await failureOf(`${server.url}/6`)).toMatchObject({
      reason: 'redirect',
      message: `${server.host} redirected more than 5 times`,
    });
  });

  it.each([
    ['keeps the connection of a small body', 16_384, true],
    ['closes the connection of a large body', 10_000_000, false],
  ])('%s', async (_, bytes, isKept) => {
    let socket: Socket | undefined;
    const server = createServer((request, response) => {
      if (request.url === '/there') return response.end('there');
      ({ socket } = request);
      socket.on('error', () => {});
      response.writeHead(302, { location: '/there' });
      // The end arrives after the body.
      return response.write(Buffer.alloc(bytes), () => void setTimeout(() => response.end(), 20));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    cleanups.push(async () => {
      server.closeAllConnections();
      server.close();
    });
    const { port } = server.address() as AddressInfo;
    expect((await read(open(), `http://127.0.0.1:${port}/`)).text).toBe('there');
    await expect.poll(() => socket?.destroyed).toBe(!isKept);
  });
});

describe('an answer', () => {
  it.each([200, 201, 204, 299])('with %i is a success', async (status) => {
    const server = await serve((_, response) => response.writeHead(status).end());
    expect((await read(open(), server.url)).status).toBe(status);
  });

  it.each([300, 400, 599])('with %i is an error with the status', async (status) => {
    const server = await serve((_, response) => response.writeHead(status).end('text'));
    expect(await failureOf(server.url)).toMatchObject({
      reason: 'status',
      status,
      message: `${server.host} answered ${status}`,
    });
  });

  it('may be exactly as large as allowed', async () => {
    const server = await serve((_, response) => response.end('0123456789'));
    expect((await read(open(), server.url, { maxBytes: 10 })).text).toBe('0123456789');
    expect(await failureOf(server.url, { maxBytes: 9 })).toMatchObject({
      reason: 'too_large',
      message: 'the answer is larger than 9 bytes',
    });
  });

  it('is rejected for its declared size before it arrives', async () => {
    const server = await serve((_, response) => {
      response.writeHead(200, { 'content-length': 100 });
      response.write('0');
    });
    expect(await failureOf(server.url, { maxBytes: 99 })).toMatchObject({ reason: 'too_large' });
  });

  it('reports the number of bytes if it is cut', async () => {
    const server = await serve((_, response) => {
      response.writeHead(200, { 'content-length': 10 });
      response.write('01234', () => response.destroy());
    });
    expect(await failureOf(server.url)).toMatchObject({
      reason: 'interrupted',
      message: expect.stringMatching(/^the transfer broke off after 5 bytes \(\w+\)$/),
    });
  });

  it('without a length has no total', async () => {
    const server = await serve((_, response) => {
      response.write('01');
      response.end('234');
    });
    const totals = new Set<unknown>();
    let last = 0;
    const onProgress = (received: number, total?: number): void => {
      totals.add(total);
      last = received;
    };
    await read(open(), server.url, { onProgress });
    expect([[...totals], last]).toEqual([[undefined], 5]);
  });

  it('that is no longer read closes its connection', async () => {
    let gone: Promise<unknown> = Promise.resolve();
    const server = await serve((_, response) => {
      gone = once(response, 'close');
      response.writeHead(200, { 'content-length': 1_000_000 });
      response.write('some');
    });
    const { body } = await open().get(new URL(server.url), { signal, maxBytes: 1e6 });
    for await (const piece of body) if (piece.length > 0) break;
    await expect(gone).resolves.toBeDefined();
  });
});

describe('a request', () => {
  it('has a user agent of Hearth unless its headers set one', async () => {
    const server = await serve(({ headers }, response) => response.end(headers['user-agent']));
    expect((await read(open(), server.url)).text).toBe('hearth');
    const headers = { 'user-agent': 'other' };
    expect((await read(open(), server.url, { headers })).text).toBe('other');
  });

  it('is not sent for an aborted signal', async () => {
    const server = await serve((_, response) => response.end());
    const reason = new Error('stopped');
    const aborted = { signal: AbortSignal.abort(reason) };
    await expect(read(open(), server.url, aborted)).rejects.toBe(reason);
    expect(server.requests).toEqual([]);
  });

  it('names a host that does not listen', async () => {
    const server = await startLoopbackServer(() => {});
    await server.close();
    expect(await failureOf(server.url)).toMatchObject({
      reason: 'unreachable',
      message: `${new URL(server.url).host} can't be reached (ECONNREFUSED)`,
    });
  });

  it('fails when the client closes', async () => {
    const client = open();
    let reportRequest = (): void => {};
    const requested = new Promise<void>((resolve) => {
      reportRequest = resolve;
    });
    const server = await serve(() => reportRequest());
    const reading = read(client, server.url);
    await requested;
    await Promise.all([expect(reading).rejects.toBeInstanceOf(HttpFailure), client.close()]);
  });
});

describe('the proxy of the environment', () => {
  /** A proxy that connects every tunnel to one server. */
  async function serveProxy(target: string) {
    const tunnels: string[] = [];
    const proxy = createServer((_, response) => response.destroy());
    proxy.on('connect', (request, socket) => {
      tunnels.push(request.url ?? '');
      const upstream = connect(Number(new URL(target).port), '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
        socket.pipe(upstream).pipe(socket);
      });
      upstream.on('error', () => socket.destroy());
      socket.on('error', () => upstream.destroy());
    });
    proxy.listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    cleanups.push(async () => {
      proxy.closeAllConnections();
      proxy.close();
    });
    return { tunnels, url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}` };
  }

  it.each(['http_proxy', 'HTTP_PROXY'])('is taken from %s', async (name) => {
    const server = await serve((_, response) => response.end('behind it'));
    const proxy = await serveProxy(server.url);
    const client = open({ environment: { [name]: proxy.url } });
    expect((await read(client, 'http://public.example/')).text).toBe('behind it');
    expect(proxy.tunnels).toEqual(['public.example:80']);
  });

  it.each(['https_proxy', 'HTTPS_PROXY'])('for https is taken from %s', async (name) => {
    // The server does not support TLS, so the request fails after the tunnel.
    const server = await serve((_, response) => response.end());
    const proxy = await serveProxy(server.url);
    const client = open({ environment: { [name]: proxy.url } });
    await expect(read(client, 'https://public.example/')).rejects.toBeInstanceOf(HttpFailure);
    expect(proxy.tunnels).toEqual(['public.example:443']);
  });

  it.each(['no_proxy', 'NO_PROXY'])('is not used for the hosts of %s', async (name) => {
    const server = await serve((_, response) => response.end('direct'));
    const proxy = await serveProxy(server.url);
    const client = open({ environment: { http_proxy: proxy.url, [name]: '127.0.0.1' } });
    expect((await read(client, server.url)).text).toBe('direct');
    expect(proxy.tunnels).toEqual([]);
  });

  it('is independent of the environment of this process', async () => {
    const server = await serve((_, response) => response.end('direct'));
    const proxy = await serveProxy(server.url);
    const before = process.env['http_proxy'];
    process.env['http_proxy'] = proxy.url;
    try {
      expect((await read(open(), server.url)).text).toBe('direct');
    } finally {
      if (before === undefined) delete process.env['http_proxy'];
      else process.env['http_proxy'] = before;
    }
    expect(proxy.tunnels).toEqual([]);
  });
});
