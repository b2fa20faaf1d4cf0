import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { get } from '../setup/server/api.ts';
import { exchange } from '../setup/server/exchange.ts';
import { useHearth } from '../setup/server/use-hearth.ts';

const hearth = useHearth();

const lines = (...all: readonly string[]) => [...all, '', ''].join('\r\n');
const host = 'Host: localhost';
const json = 'Content-Type: application/json';
const close = 'Connection: close';
/** A second request in the body of the first, which must not get a response. */
const smuggled = lines('GET /api/v1/status HTTP/1.1', host, close);
const statuses = (text: string) =>
  [...text.matchAll(/^HTTP\/1\.1 (\d{3})/gm)].map(([, status]) => Number(status));

describe('a request that two servers may parse differently', () => {
  it.each([
    ['two lengths', ['Content-Length: 0', `Content-Length: ${smuggled.length}`]],
    ['a length and chunks', ['Content-Length: 5', 'Transfer-Encoding: chunked']],
    ['chunks twice', ['Transfer-Encoding: chunked', 'Transfer-Encoding: identity']],
    ['a coding that only looks like chunks', ['Transfer-Encoding: xchunked']],
    ['a space before the colon', ['Transfer-Encoding : chunked']],
    ['a folded header', ['X-Header: a', ' Transfer-Encoding: chunked']],
    ['a length with a sign', ['Content-Length: +0']],
    ['a length that is not a number', ['Content-Length: 0x0']],
    ['a line that ends early', ['X-Header: a\nTransfer-Encoding: chunked']],
    ['a NUL in a header', ['X-Header: a\u0000b']],
  ])('is refused: %s', async (_, headers) => {
    const request = lines('POST /api/v1/chat HTTP/1.1', host, json, ...headers);
    const text = await exchange(hearth.url, `${request}0\r\n\r\n${smuggled}`);
    expect(statuses(text)).toEqual([400]);
  });

  it.each([
    ['a size that is not a number', 'zz\r\n{}\r\n0\r\n\r\n'],
    ['a size beyond all bounds', 'ffffffffffffffffff\r\n{}\r\n0\r\n\r\n'],
    ['a chunk longer than it says', '2\r\n{}{}{}\r\n0\r\n\r\n'],
  ])('is refused for a chunk with %s', async (_, chunks) => {
    const head = lines('POST /api/v1/chat HTTP/1.1', host, json, 'Transfer-Encoding: chunked');
    expect(statuses(await exchange(hearth.url, head + chunks + smuggled))).toEqual([400]);
  });
});

describe('a request line', () => {
  it.each([
    ['without a version', 'GET /health', []],
    ['of another version', 'GET /health HTTP/3.0', []],
    ['of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM', []],
    ['that is invalid', '\u0016\u0003\u0001\u0002\u0000', []],
    ['with a foreign target', 'GET http://attacker.example/health HTTP/1.1', [host, close]],
    ['with a target that is not a path', 'GET health HTTP/1.1', [host, close]],
    ['that asks for a tunnel', 'CONNECT attacker.example:80 HTTP/1.1', [host, close]],
    ['that asks for an echo', 'TRACE /health HTTP/1.1', [host, close]],
    ['without a host', 'GET /health HTTP/1.1', [close]],
    ['with two hosts', 'GET /health HTTP/1.1', ['Host: attacker.example', host, close]],
  ])('%s is refused', async (_, requestLine, headers) => {
    const text = await exchange(hearth.url, lines(requestLine, ...headers));
    for (const status of statuses(text)) {
      expect(status).toBeGreaterThanOrEqual(400);
      expect(status).toBeLessThan(500);
    }
    expect(text).not.toContain('"status":"ok"');
  });
});

it('rejects headers that are too large, and URLs that are too long', async () => {
  const header = lines('GET /health HTTP/1.1', host, `X-Header: ${'a'.repeat(20_000)}`, close);
  expect(statuses(await exchange(hearth.url, header))).toEqual([431]);
  const many = Array.from({ length: 3000 }, (_, index) => `X-Header-${index}: a`);
  const headers = lines('GET /health HTTP/1.1', host, ...many, close);
  expect(statuses(await exchange(hearth.url, headers))).toEqual([431]);
  const url = `/api/v1/models/${'a'.repeat(9000)}`;
  const answer = await get(hearth.url, url);
  expect(answer).toMatchObject({ status: 400, body: { error: { code: 'invalid_value' } } });
  expect(answer.body.error.message).toMatch(/The URL has \d+ characters; at most 8192 are allowed/);
});

describe('a path', () => {
  it.each([
    '/api/v1/models/../../../etc/passwd',
    '/api/v1/models/..%2f..%2f..%2fetc%2fpasswd',
    '/api/v1/models/%2e%2e/%2e%2e/etc/passwd',
    '/api/v1/models/%252e%252e%252fetc%252fpasswd',
    '/api/v1/models/..%5c..%5cetc%5cpasswd',
    '/api/v1/models/%2fetc%2fpasswd',
    '/api/v1/models/hearth%00/starter-chat',
    '/api/v1/models/%ff%fe',
    '/api/v1/models/%zz',
    '/api/v0/models/file:%2f%2f%2fetc%2fpasswd',
    '/docs/../../package.json',
    '/docs/%2e%2e/%2e%2e/package.json',
    '/docs/..%2f..%2fpackage.json',
    '//etc/passwd',
    '/api/v1/responses/..%2f..%2fetc',
  ])('outside the routes is not found: %s', async (path) => {
    const text = await exchange(hearth.url, lines(`GET ${path} HTTP/1.1`, host, close));
    expect([400, 403, 404]).toContain(statuses(text)[0]);
    expect(text).not.toMatch(/root:|"dependencies"/);
  });
});

// covers error-21, server-28
it('serves others while many connections have sent half a request each', async () => {
  const { hostname, port } = new URL(hearth.url);
  const sockets = Array.from({ length: 200 }, () => connect(Number(port), hostname));
  for (const socket of sockets) socket.write('POST /api/v1/chat HTTP/1.1\r\nHost: loc');
  expect((await get(hearth.url, '/health')).status).toBe(200);
  for (const socket of sockets) socket.destroy();
});

it('logged none of this as an internal error', () => {
  expect(hearth.log()).not.toContain('"level":"error"');
});
