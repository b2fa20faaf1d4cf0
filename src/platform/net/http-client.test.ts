import { setTimeout as delay } from 'node:timers/promises';
import { createServer, type RequestListener, type Server } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { createHttpClient, type HttpClient } from './http-client.ts';

const servers: Server[] = [];
const clients: HttpClient[] = [];

afterEach(async () => {
  for (const client of clients.splice(0)) await client.close();
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    await new Promise((resolve) => {
      server.close(resolve);
    });
  }
});

async function serve(listener: RequestListener): Promise<{ server: Server; url: URL }> {
  const server = createServer(listener);
  servers.push(server);
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    server,
    url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/file`),
  };
}

function open(environment: Record<string, string> = {}, idleTimeoutMs = 10_000): HttpClient {
  const client = createHttpClient({ environment, idleTimeoutMs });
  clients.push(client);
  return client;
}

async function read(client: HttpClient, url: URL, maxBytes = 1_000_000): Promise<string> {
  const signal = new AbortController().signal;
  const response = await client.get(url, { signal, maxBytes });
  const pieces: Uint8Array[] = [];
  for await (const piece of response.body) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}

describe('HttpClient', () => {
  it('returns the body and reports progress', async () => {
    const { url } = await serve((_, response) => {
      response.writeHead(200, { 'content-length': 5 }).end('hello');
    });
    const progress: unknown[] = [];
    const response = await open().get(url, {
      signal: new AbortController().signal,
      maxBytes: 5,
      onProgress: (received, total) => progress.push([received, total]),
    });
    for await (const piece of response.body) expect(Buffer.from(piece).toString()).toBe('hello');
    expect(progress).toStrictEqual([[5, 5]]);
  });

  it('follows redirects, and drops headers when the host changes', async () => {
    const { url: target } = await serve((request, response) => {
      response.end(`token: ${request.headers['authorization'] ?? 'none'}`);
    });
    const { url } = await serve((_, response) => {
      response.writeHead(302, { location: target.href }).end();
    });
    const response = await open().get(url, {
      signal: new AbortController().signal,
      maxBytes: 100,
      headers: { authorization: 'secret' },
    });
    expect(response.url.href).toBe(target.href);
    for await (const piece of response.body) {
      expect(Buffer.from(piece).toString()).toBe('token: none');
    }
  });

  it('stops after a bounded number of redirects', async () => {
    const { url } = await serve((_, response) => {
      response.writeHead(302, { location: '/file' }).end();
    });
    await expect(read(open(), url)).rejects.toMatchObject({ reason: 'redirect' });
  });

  it('rejects a redirect to another protocol', async () => {
    const { url } = await serve((_, response) => {
      response.writeHead(302, { location: 'file:///etc/passwd' }).end();
    });
    await expect(read(open(), url)).rejects.toMatchObject({ reason: 'redirect' });
  });

  it('reports the status of an unsuccessful response', async () => {
    const { url } = await serve((_, response) => {
      response.writeHead(404).end('nothing');
    });
    await expect(read(open(), url)).rejects.toMatchObject({ reason: 'status', status: 404 });
  });

  it.each([
    ['declared', { 'content-length': 10 }],
    ['streamed', {}],
  ])('rejects a body that is too large (%s)', async (_, headers) => {
    const { url } = await serve((_request, response) => {
      response.writeHead(200, headers).end('0123456789');
    });
    await expect(read(open(), url, 9)).rejects.toMatchObject({ reason: 'too_large' });
  });

  it('distinguishes an unreachable host from a cut transfer', async () => {
    const { url } = await serve((_, response) => {
      response.writeHead(200, { 'content-length': 10 });
      response.write('01234', () => response.destroy());
    });
    await expect(read(open(), url)).rejects.toMatchObject({ reason: 'interrupted' });
    const { server, url: closed } = await serve(() => {});
    await new Promise((resolve) => {
      server.close(resolve);
    });
    await expect(read(open(), closed)).rejects.toMatchObject({ reason: 'unreachable' });
  });

  it('times out for a silent server', async () => {
    const { url } = await serve(() => {});
    await expect(read(open({}, 100), url)).rejects.toMatchObject({ reason: 'timeout' });
  });

  it('times out for a body that stops, with the name of the server and the time', async () => {
    const { url } = await serve((_, response) => {
      response.writeHead(200, { 'content-length': 5 }).write('hel');
    });
    await expect(read(open({}, 100), url)).rejects.toMatchObject({
      reason: 'timeout',
      message: `${url.host} sent nothing for 0.1 seconds (UND_ERR_BODY_TIMEOUT)`,
    });
  });

  it('does not time out while the body waits for its reader', async () => {
    const content = Buffer.alloc(8 * 1024 * 1024, 'a');
    const { url } = await serve((_, response) => {
      response.end(content);
    });
    const { signal } = new AbortController();
    const { body } = await open({}, 100).get(url, { signal, maxBytes: content.length });
    let bytes = 0;
    for await (const piece of body) {
      if (bytes === 0) await delay(500);
      bytes += piece.length;
    }
    expect(bytes).toBe(content.length);
  });

  it('throws the reason of the signal, before and during the response', async () => {
    const reason = new Error('enough');
    const controller = new AbortController();
    const { url } = await serve((request, response) => {
      if (request.url === '/silent') return controller.abort(reason);
      return response.write('some');
    });
    const early = { signal: controller.signal, maxBytes: 100 };
    await expect(open().get(new URL('/silent', url), early)).rejects.toBe(reason);
    const later = new AbortController();
    const response = await open().get(url, { signal: later.signal, maxBytes: 100 });
    await expect(async () => {
      for await (const piece of response.body) later.abort(piece.length > 0 ? reason : undefined);
    }).rejects.toBe(reason);
  });

  it('uses the proxy of its environment, but not for the hosts that it excludes', async () => {
    const { url } = await serve((_, response) => response.end('behind the proxy'));
    const tunnels: string[] = [];
    const { server: proxy, url: proxyUrl } = await serve((_, response) => response.destroy());
    proxy.on('connect', (request, socket) => {
      tunnels.push(request.url ?? '');
      const upstream = connect(Number(url.port), url.hostname, () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
        socket.pipe(upstream).pipe(socket);
      });
    });
    expect(await read(open({ http_proxy: proxyUrl.origin }), url)).toBe('behind the proxy');
    expect(tunnels).toStrictEqual([url.host]);
    const direct = open({ HTTP_PROXY: proxyUrl.origin, NO_PROXY: '127.0.0.1' });
    expect(await read(direct, url)).toBe('behind the proxy');
    expect(tunnels).toHaveLength(1);
  });
});
