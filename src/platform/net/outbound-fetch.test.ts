import { getEventListeners, once } from 'node:events';
import { afterEach, describe, expect, it } from 'vitest';
import { startLoopbackServer } from '../../../test/setup/net/loopback-server.ts';
import type { EgressPolicy } from './address-policy.ts';
import { toFetchResponse } from './fetch-response.ts';
import { createOutboundFetch } from './outbound-fetch.ts';

const cleanups: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

type Answer = Parameters<typeof startLoopbackServer>[0];

async function serve(answer: Answer) {
  const server = await startLoopbackServer(answer);
  cleanups.push(() => server.close());
  return server;
}

function open(options: Partial<Parameters<typeof createOutboundFetch>[0]> = {}) {
  const broken: string[] = [];
  const outbound = createOutboundFetch({
    egress: { type: 'any' },
    environment: {},
    maxBytes: 1000,
    idleTimeoutMs: 5000,
    totalTimeoutMs: 10_000,
    onBroken: ({ reason }, method) => broken.push(`${method} ${reason}`),
    ...options,
  });
  cleanups.push(() => outbound.close());
  return { fetch: outbound.fetch, broken };
}

const onlyPublic = (...allowedHosts: readonly string[]): EgressPolicy => ({
  type: 'public',
  allowedHosts,
});
const hostOf = (server: { readonly url: string }): string => new URL(server.url).host;

describe('a request', () => {
  it('sends method, headers and body, and returns the response of any status', async () => {
    const server = await serve(({ method, headers, body }, response) => {
      response.writeHead(404, { 'x-a': ['1', '2'] });
      response.end(
        `${method} ${String(headers['x-key'])} ${String(headers['user-agent'])} ${body}`,
      );
    });
    const response = await open().fetch(server.url, {
      method: 'POST',
      headers: { 'X-Key': 'k' },
      body: 'text',
    });
    expect([response.status, response.headers.get('x-a')]).toEqual([404, '1, 2']);
    expect(await response.text()).toBe('POST k hearth text');
  });

  it('sends no connection headers', async () => {
    const server = await serve(({ headers }, response) => response.end(JSON.stringify(headers)));
    const response = await open().fetch(server.url, {
      headers: { Host: 'elsewhere', 'Transfer-Encoding': 'chunked', TE: 'x', 'X-Kept': 'yes' },
    });
    const headers = (await response.json()) as Record<string, string>;
    expect(headers).toMatchObject({ host: hostOf(server), 'x-kept': 'yes' });
    expect(headers).not.toHaveProperty('te');
    expect(headers).not.toHaveProperty('transfer-encoding');
  });

  it.each([
    ['connection', 'close'],
    ['expect', '100-continue'],
    ['keep-alive', 'timeout=1'],
    ['proxy-authorization', 'Basic secret'],
    ['proxy-connection', 'close'],
    ['trailer', 'x-later'],
    ['upgrade', 'websocket'],
  ])('does not send the header %s of its caller', async (name, value) => {
    const server = await serve(({ headers }, response) => response.end(JSON.stringify(headers)));
    const response = await open().fetch(server.url, {
      headers: { [name]: value, 'x-kept': 'yes' },
    });
    const headers = (await response.json()) as Record<string, string>;
    expect(headers['x-kept']).toBe('yes');
    expect(headers[name]).not.toBe(value);
  });

  it('sends the length of its body, whatever its caller says', async () => {
    const server = await serve(({ headers }, response) => response.end(headers['content-length']));
    const headers = { 'content-length': '99' };
    const response = await open().fetch(server.url, { method: 'POST', headers, body: 'text' });
    expect(await response.text()).toBe('4');
  });

  it('rejects other methods and bodies', async () => {
    const { fetch } = open();
    await expect(fetch('http://127.0.0.1/', { method: 'PUT' })).rejects.toThrow('PUT');
    await expect(
      fetch('http://127.0.0.1/', { method: 'POST', body: new Uint8Array(1) }),
    ).rejects.toThrow('text');
  });

  it('returns a response without a body', async () => {
    const server = await serve((_, response) => response.writeHead(204).end());
    const response = await open().fetch(server.url);
    expect([response.status, response.body]).toEqual([204, null]);
  });

  it('closes the connection of a body that its status forbids', async () => {
    let closed: Promise<unknown> = Promise.resolve();
    const server = await serve((_, response) => {
      closed = once(response, 'close');
      response.writeHead(205).write('x'.repeat(100_000));
    });
    const response = await open({ maxBytes: 1e6 }).fetch(server.url);
    expect([response.status, response.body]).toEqual([205, null]);
    await closed;
  });
});

describe('a redirect', () => {
  it('is followed to another origin without headers other than accept', async () => {
    const other = await serve(({ headers }, response) => response.end(JSON.stringify(headers)));
    const server = await serve((_, response) =>
      response.writeHead(302, { location: other.url }).end(),
    );
    const response = await open().fetch(server.url, {
      headers: { accept: 'text/plain', authorization: 'secret', 'x-key': 'secret' },
    });
    const text = await response.text();
    expect(JSON.parse(text)).toMatchObject({ accept: 'text/plain' });
    expect(text).not.toContain('secret');
  });

  it.each([307, 308])(
    'of a POST with %i is followed on the same origin, with the body',
    async (status) => {
      const server = await serve(({ path, headers, body }, response) => {
        if (path === '/') response.writeHead(status, { location: '/there' }).end();
        else response.end(`${String(headers['x-key'])} ${body}`);
      });
      const response = await open().fetch(server.url, {
        method: 'POST',
        headers: { 'x-key': 'k' },
        body: 'text',
      });
      expect(await response.text()).toBe('k text');
    },
  );

  it.each([301, 302, 303])('of a POST with %i is rejected', async (status) => {
    const server = await serve((_, response) =>
      response.writeHead(status, { location: '/there' }).end(),
    );
    await expect(open().fetch(server.url, { method: 'POST', body: 'text' })).rejects.toMatchObject({
      reason: 'redirect',
    });
    expect(server.requests).toHaveLength(1);
  });

  it('of a POST to another origin is rejected', async () => {
    const other = await serve((_, response) => response.end());
    const server = await serve((_, response) =>
      response.writeHead(307, { location: other.url }).end(),
    );
    await expect(open().fetch(server.url, { method: 'DELETE' })).rejects.toMatchObject({
      reason: 'redirect',
      message: expect.stringContaining('DELETE'),
    });
    expect(other.requests).toHaveLength(0);
  });

  it('without a location is a response', async () => {
    const server = await serve((_, response) => response.writeHead(304).end());
    expect((await open().fetch(server.url)).status).toBe(304);
    const odd = await serve((_, response) => response.writeHead(302).end('odd'));
    expect(await (await open().fetch(odd.url)).text()).toBe('odd');
  });

  it('to an address that is not allowed names the first address', async () => {
    const server = await serve((_, response) =>
      response.writeHead(302, { location: 'http://127.0.0.2:1/' }).end(),
    );
    const { fetch } = open({ egress: onlyPublic(hostOf(server)) });
    await expect(fetch(server.url)).rejects.toMatchObject({
      reason: 'redirect',
      message: expect.stringMatching(
        `^${hostOf(server)} redirects to an address that can't be used: .* is not at a public address$`,
      ),
    });
  });

  it('is followed five times', async () => {
    const server = await serve(({ path }, response) => {
      const count = Number(path?.slice(1));
      if (count === 0) response.end('there');
      else response.writeHead(302, { location: `/${count - 1}` }).end();
    });
    const { fetch } = open();
    expect(await (await fetch(`${server.url}/5`)).text()).toBe('there');
    await expect(fetch(`${server.url}/6`)).rejects.toMatchObject({ reason: 'redirect' });
  });
});

describe('an address', () => {
  it('is rejected by the policy', async () => {
    const server = await serve((_, response) => response.end());
    const { fetch } = open({ egress: onlyPublic() });
    await expect(fetch(server.url)).rejects.toMatchObject({ reason: 'refused' });
    expect(server.requests).toHaveLength(0);
  });
});

describe('a response', () => {
  it('is rejected above the limit, and closes its connection', async () => {
    let closed: Promise<unknown> = Promise.resolve();
    const server = await serve((_, response) => {
      closed = once(response, 'close');
      response.write('x'.repeat(1001));
    });
    const { fetch, broken } = open();
    await expect((await fetch(server.url)).text()).rejects.toMatchObject({ reason: 'too_large' });
    await closed;
    expect(broken).toEqual(['GET too_large']);
  });

  it('may be exactly as large as the bound, and says what is too large', async () => {
    const server = await serve(({ path }, response) =>
      response.end('x'.repeat(Number(path.slice(1)))),
    );
    const { fetch } = open();
    expect(await (await fetch(`${server.url}/1000`)).text()).toHaveLength(1000);
    await expect((await fetch(`${server.url}/1001`)).text()).rejects.toMatchObject({
      message: `${hostOf(server)} answered more than 1000 bytes`,
    });
  });

  it('that ends with its signal is not reported as broken', async () => {
    const server = await serve((_, response) => void response.write('some'));
    const { fetch, broken } = open();
    const controller = new AbortController();
    const response = await fetch(server.url, { signal: controller.signal });
    controller.abort(new Error('enough'));
    await expect(response.text()).rejects.toThrow('enough');
    expect(broken).toEqual([]);
  });

  it('is cut when the client closes, even without a callback', async () => {
    const server = await serve((_, response) => void response.write('some'));
    const outbound = createOutboundFetch({
      egress: { type: 'any' },
      environment: {},
      maxBytes: 1000,
      idleTimeoutMs: 5000,
      totalTimeoutMs: 10_000,
    });
    const response = await outbound.fetch(server.url);
    const text = response.text();
    await Promise.all([
      expect(text).rejects.toMatchObject({
        reason: 'interrupted',
        message: expect.stringMatching(`^the answer of ${hostOf(server)} broke off`),
      }),
      outbound.close(),
    ]);
  });

  it('keeps why a redirect failed', async () => {
    const server = await serve((_, response) =>
      response.writeHead(302, { location: 'http://127.0.0.2:1/' }).end(),
    );
    const { fetch } = open({ egress: onlyPublic(hostOf(server)) });
    await expect(fetch(server.url)).rejects.toMatchObject({ cause: { reason: 'refused' } });
  });

  it('reports that it broke off', async () => {
    const server = await serve((_, response) => {
      response.writeHead(200, { 'content-length': 10 });
      response.write('01234', () => response.destroy());
    });
    const { fetch, broken } = open();
    const response = await fetch(server.url, { method: 'POST', body: '' });
    await expect(response.text()).rejects.toMatchObject({ reason: 'interrupted' });
    expect(broken).toEqual(['POST interrupted']);
  });

  it('has an idle timeout for a POST, but not for a GET', async () => {
    const server = await serve(({ method }, response) => {
      response.write('some');
      if (method === 'GET') setTimeout(() => response.end(' more'), 1500);
    });
    const { fetch } = open({ idleTimeoutMs: 300 });
    const post = await fetch(server.url, { method: 'POST', body: '' });
    await expect(post.text()).rejects.toMatchObject({ reason: 'timeout' });
    expect(await (await fetch(server.url)).text()).toBe('some more');
  });

  it('ends after the total time limit', async () => {
    const server = await serve((_, response) => void response.write('some'));
    const { fetch } = open({ totalTimeoutMs: 200 });
    await expect((await fetch(server.url)).text()).rejects.toMatchObject({
      reason: 'timeout',
      message: 'the answer took more than 0.2 s',
    });
  });

  it('ends with the reason of the signal, and leaves no listener at the signal', async () => {
    const server = await serve(({ path }, response) => {
      if (path === '/whole') response.end('whole');
      else response.write('some');
    });
    const { fetch } = open();
    const controller = new AbortController();
    const { signal } = controller;
    await (await fetch(`${server.url}/whole`, { signal })).text();
    const cancelled = await fetch(server.url, { signal });
    await cancelled.body?.cancel();
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
    const response = await fetch(server.url, { signal });
    const reason = new Error('enough');
    controller.abort(reason);
    await expect(response.text()).rejects.toBe(reason);
    await expect(fetch(server.url, { signal })).rejects.toBe(reason);
  });
});

describe('toFetchResponse', () => {
  it.each([
    [204, 204, ''],
    [304, 304, ''],
    [599, 599, 'body'],
    [700, 502, 'body'],
  ])('builds one of status %i', async (status, expected, body) => {
    const response = toFetchResponse({ status, headers: {} }, Buffer.from('body'));
    expect([response.status, await response.text()]).toEqual([expected, body]);
  });

  it('has all values of a header, and no header without a value', () => {
    const headers = { 'set-cookie': ['a=1', 'b=2'], 'x-a': undefined };
    const response = toFetchResponse({ status: 200, headers }, null);
    expect([...response.headers]).toEqual([
      ['set-cookie', 'a=1'],
      ['set-cookie', 'b=2'],
    ]);
  });
});
