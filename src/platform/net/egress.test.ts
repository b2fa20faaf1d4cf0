import type { LookupAddress } from 'node:dns';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { startLoopbackServer } from '../../../test/setup/net/loopback-server.ts';
import type { ResolveAddresses } from './address-policy.ts';
import { createHttpClient, type HttpClient, type HttpGetOptions } from './http-client.ts';

const cleanups: (() => Promise<unknown>)[] = [];
const { signal } = new AbortController();

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

type Answer = Parameters<typeof startLoopbackServer>[0];

async function serve(answer: Answer): Promise<Awaited<ReturnType<typeof startLoopbackServer>>> {
  const server = await startLoopbackServer(answer);
  cleanups.push(() => server.close());
  return server;
}

function open(
  allowedHosts: readonly string[],
  resolve?: ResolveAddresses,
  environment: Record<string, string> = {},
): HttpClient {
  const client = createHttpClient({
    environment,
    idleTimeoutMs: 5000,
    egress: { type: 'public', allowedHosts, ...(resolve === undefined ? {} : { resolve }) },
  });
  cleanups.push(() => client.close());
  return client;
}

async function read(
  client: HttpClient,
  url: string,
  options: Partial<HttpGetOptions> = {},
): Promise<string> {
  const { body } = await client.get(new URL(url), { signal, maxBytes: 1000, ...options });
  const pieces: Uint8Array[] = [];
  for await (const piece of body) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}

const hostOf = (server: { readonly url: string }): string => new URL(server.url).host;
const redirectTo =
  (location: () => string): Answer =>
  (_, response) => {
    response.writeHead(302, { location: location() }).end();
  };

describe('a client for public addresses', () => {
  it('connects to allowed private hosts only', async () => {
    const server = await serve((_, response) => response.end('inside'));
    expect(await read(open([hostOf(server)]), server.url)).toBe('inside');
    await expect(read(open([]), server.url)).rejects.toMatchObject({ reason: 'refused' });
    expect(server.requests).toHaveLength(1);
  });

  it.each([
    'http://169.254.169.254/latest/meta-data',
    'http://127.0.0.2/',
    'http://[::ffff:127.0.0.1]/',
    'http://localhost/',
  ])('rejects a redirect to %s', async (location) => {
    const server = await serve(redirectTo(() => location));
    await expect(read(open([hostOf(server)]), server.url)).rejects.toMatchObject({
      reason: 'refused',
      message: expect.stringContaining('is not at a public address'),
    });
  });

  it('connects to a name that is allowed with its port, wherever it resolves to', async () => {
    const server = await serve((_, response) => response.end('inside'));
    const { port } = new URL(server.url);
    const inside: ResolveAddresses = (_hostname, _options, callback) =>
      callback(null, [{ address: '127.0.0.1', family: 4 }]);
    const url = `http://localhost:${port}/`;
    expect(await read(open([`localhost:${port}`], inside), url)).toBe('inside');
    expect(await read(open(['localhost'], inside), url)).toBe('inside');
    await expect(read(open([`localhost:${port}1`], inside), url)).rejects.toMatchObject({
      reason: 'refused',
    });
  });

  // covers server-26
  it('rejects a redirect to another port of an allowed host', async () => {
    const other = await serve((_, response) => response.end('inside'));
    const server = await serve(redirectTo(() => other.url));
    await expect(read(open([hostOf(server)]), server.url)).rejects.toMatchObject({
      reason: 'refused',
    });
    expect(other.requests).toHaveLength(0);
  });

  it('rejects names that resolve to private addresses, even beside public ones', async () => {
    const server = await serve((_, response) => response.end('inside'));
    const { port } = new URL(server.url);
    const found: LookupAddress[] = [{ address: '127.0.0.1', family: 4 }];
    const resolve: ResolveAddresses = (_hostname, _options, callback) => callback(null, found);
    const url = `http://rebound.example:${port}/`;
    await expect(read(open([], resolve), url)).rejects.toMatchObject({ reason: 'refused' });
    found.unshift({ address: '8.8.8.8', family: 4 });
    await expect(read(open([], resolve), url)).rejects.toMatchObject({ reason: 'refused' });
    expect(server.requests).toHaveLength(0);
  });

  // covers v1-integration-9, server-26
  it('resolves a name once per connection, so that a second answer has no effect', async () => {
    let lookups = 0;
    const resolve: ResolveAddresses = (_hostname, _options, callback) => {
      lookups += 1;
      callback(null, [{ address: lookups === 1 ? '192.0.2.1' : '127.0.0.1', family: 4 }]);
    };
    await expect(read(open([], resolve), 'http://rebound.example/')).rejects.toMatchObject({
      reason: 'refused',
    });
    expect(lookups).toBe(1);
  });

  it('checks literal addresses even if a proxy resolves names', async () => {
    const proxy = createServer();
    const tunnels: string[] = [];
    proxy.on('connect', (request, socket) => {
      tunnels.push(request.url ?? '');
      const upstream = connect(Number(new URL(server.url).port), '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
        socket.pipe(upstream).pipe(socket);
      });
      upstream.on('error', () => socket.destroy());
      socket.on('error', () => upstream.destroy());
    });
    proxy.listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    cleanups.push(async () => proxy.close());
    const server = await serve(({ path }, response) => {
      if (path === '/away') response.writeHead(302, { location: 'http://127.0.0.2/' }).end();
      else response.end('through the proxy');
    });
    const http_proxy = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    const client = open([], undefined, { http_proxy });
    expect(await read(client, 'http://public.example/')).toBe('through the proxy');
    await expect(read(client, 'http://public.example/away')).rejects.toMatchObject({
      reason: 'refused',
    });
    await expect(read(client, server.url)).rejects.toMatchObject({ reason: 'refused' });
    expect(new Set(tunnels)).toStrictEqual(new Set(['public.example:80']));
  });
});

describe('headers and statuses', () => {
  it('forwards only public headers to another origin', async () => {
    const cdn = await serve(({ headers }, response) => {
      response.writeHead(206).end(`${headers.range} ${headers.authorization ?? 'no token'}`);
    });
    const server = await serve(redirectTo(() => cdn.url));
    const client = open([hostOf(server), hostOf(cdn)]);
    const text = await read(client, server.url, {
      headers: { authorization: 'secret' },
      forwardedHeaders: { range: 'bytes=0-1' },
    });
    expect(text).toBe('bytes=0-1 no token');
    expect(server.requests[0]?.headers).toMatchObject({
      authorization: 'secret',
      range: 'bytes=0-1',
    });
  });

  it('does not send the token again after a redirect back', async () => {
    const cdn = await serve(redirectTo(() => `${server.url}/back`));
    const server = await serve(({ path, headers }, response) => {
      if (path === '/back') response.end(headers.authorization ?? 'no token');
      else response.writeHead(302, { location: cdn.url }).end();
    });
    const client = open([hostOf(server), hostOf(cdn)]);
    expect(await read(client, server.url, { headers: { authorization: 'secret' } })).toBe(
      'no token',
    );
  });

  it('reports the headers of a response that is not a success', async () => {
    const server = await serve((_, response) => {
      response.writeHead(429, { 'retry-after': '7' }).end('busy');
    });
    const client = open([hostOf(server)]);
    await expect(read(client, server.url)).rejects.toMatchObject({
      status: 429,
      headers: { 'retry-after': '7' },
    });
  });

  it('closes the connection of a discarded body', async () => {
    let gone: Promise<unknown> = Promise.resolve();
    const server = await serve((_, response) => {
      gone = once(response, 'close');
      response.writeHead(200, { 'content-length': 1_000_000 });
      response.write('some');
    });
    const response = await open([hostOf(server)]).get(new URL(server.url), {
      signal,
      maxBytes: 1_000_000,
    });
    response.discard();
    await expect(gone).resolves.toBeDefined();
  });
});
