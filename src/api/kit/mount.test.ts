import { describe, expect, it } from 'vitest';
import { HearthError } from '../../kernel/errors/errors.ts';
import type { RequestContext } from '../../kernel/request/request-context.ts';
import { mount } from './mount.ts';
import { createTestApp, testApi } from '../../../test/setup/http/test-app.ts';
import { echoBody, echoParams, guarded, wait } from '../../../test/setup/http/test-routes.ts';

const headers = { 'Content-Type': 'application/json' };

function appThatFails(failure: unknown) {
  return createTestApp({
    v1Routes: (app) => mount(app, guarded('chat'), () => Promise.reject(failure)),
    v0Routes: (app) => mount(app, echoParams, () => Promise.reject(failure)),
  });
}

describe('a mounted endpoint', () => {
  const { app } = createTestApp({
    v1Routes: (target) => {
      mount(target, echoBody, async ({ body }) => body);
      mount(target, wait, async () => new Response('unchanged', { status: 202 }));
    },
    v0Routes: (target) =>
      mount(target, echoParams, async ({ params, query }) => ({ ...params, ...query })),
  });

  it.each([
    ['ember', 'ember'],
    ['hearth/ember@q4_k_m', 'hearth/ember@q4_k_m'],
    ['hearth%2Fember', 'hearth/ember'],
    ['a%20b', 'a b'],
    ['100%2525', '100%25'],
    ['%E2%82%AC', '€'],
    ['100%', '100%'],
    ['a%00b', 'a\0b'],
    ['..%2f..%2fetc%2fpasswd', '../../etc/passwd'],
  ])('decodes the parameter %s once', async (encoded, thing) => {
    const response = await app.request(`/api/v0/things/${encoded}`);
    expect(await response.json()).toEqual({ thing, limit: 20 });
  });

  it('checks parameters and query', async () => {
    const long = await app.request(`/api/v0/things/${'a'.repeat(600)}`);
    expect(long.status).toBe(400);
    expect(await long.json()).toMatchObject({ error: { code: 'invalid_value', param: 'thing' } });
    const bad = await app.request('/api/v0/things/a?limit=0');
    expect(await bad.json()).toMatchObject({ error: { code: 'invalid_value', param: 'limit' } });
    expect(await (await app.request('/api/v0/things/a?limit=3')).json()).toEqual({
      thing: 'a',
      limit: 3,
    });
  });

  it('gives the body with its defaults', async () => {
    const request = { method: 'POST', headers, body: '{"text":"a"}' };
    expect(await (await app.request('/api/v1/echo', request)).json()).toEqual({
      text: 'a',
      count: 1,
    });
  });

  it.each([
    ['{', 'invalid_json'],
    ['', 'invalid_json'],
    ['{"text":"a"} x', 'invalid_json'],
    ["{'text':'a'}", 'invalid_json'],
    [new Uint8Array([0x22, 0xff, 0x22]), 'invalid_json'],
    ['null', 'invalid_type'],
    ['{}', 'missing_required_parameter'],
    ['{"text":"a","x":1}', 'unrecognized_keys'],
  ])('refuses %s as %s', async (body, code) => {
    const response = await app.request('/api/v1/echo', { method: 'POST', headers, body });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { code, type: 'invalid_request' } });
  });

  it('gets the context of its request, whose log lines have the id', async () => {
    let seen: RequestContext | undefined;
    const { app: one, logLines } = createTestApp({
      v1Routes: (target) =>
        mount(target, guarded('chat'), async ({ context }) => {
          seen = context;
          context.logger.warn('from the handler');
          return { tokenId: context.caller.tokenId };
        }),
    });
    await one.request('/api/v1/needs/chat', {
      headers: { 'X-Request-Id': 'r1', Authorization: 'Bearer chat,plugins' },
    });
    expect(seen).toMatchObject({
      requestId: 'r1',
      caller: { tokenId: 'token1', clientKey: 'token token1' },
    });
    expect(seen?.caller.hasPermission('plugins')).toBe(true);
    expect(seen?.signal.aborted).toBe(false);
    expect(logLines().map(({ msg, requestId }) => [msg, requestId])).toEqual([
      ['from the handler', 'r1'],
      ['request', 'r1'],
    ]);
  });

  it('sends a response unchanged', async () => {
    const response = await app.request('/api/v1/wait');
    expect([response.status, await response.text()]).toEqual([202, 'unchanged']);
  });
});

describe('a handler that throws', () => {
  it('answers its error in the body of the api', async () => {
    const failure = new HearthError('queue_full', 'Wait.', {
      retryAfterSeconds: 0.2,
      param: 'model',
    });
    const { app } = appThatFails(failure);
    const v1 = await app.request('/api/v1/needs/chat');
    expect([v1.status, v1.headers.get('Retry-After')]).toEqual([429, '1']);
    expect(await v1.json()).toEqual({
      error: { type: 'server_busy', message: 'Wait.', code: 'queue_full', param: 'model' },
    });
    const v0 = await app.request('/api/v0/things/a');
    expect(await v0.json()).toEqual({
      error: { message: 'Wait.', type: 'server_busy', param: 'model', code: 'queue_full' },
    });
    const { app: without } = appThatFails(new HearthError('conflict', 'No.'));
    expect(await (await without.request('/api/v0/things/a')).json()).toMatchObject({
      error: { param: null },
    });
  });

  // covers error-17
  it('tells nothing of a fault but the id under which it is logged', async () => {
    const { app, logLines } = appThatFails(new TypeError('secret of /root/x'));
    const response = await app.request('/api/v1/needs/chat', { headers: { 'X-Request-Id': 'r7' } });
    expect(response.status).toBe(500);
    const text = await response.text();
    expect(text).toContain('r7');
    expect(text).not.toContain('secret');
    const [line] = logLines();
    expect(line).toMatchObject({ level: 'error', requestId: 'r7', err: { type: 'TypeError' } });
    expect(JSON.stringify(line)).toContain('mount.test.ts');
  });

  it('does not log an error if the client has disconnected', async () => {
    const { app, logLines } = appThatFails(new Error('aborted'));
    const request = new Request('http://localhost/api/v1/needs/chat', {
      signal: AbortSignal.abort(),
    });
    expect((await app.request(request)).status).toBe(499);
    expect(logLines().every((line) => line.level === 'info')).toBe(true);
  });
});

describe('a path that endpoints of two APIs match', () => {
  const api = (name: string, path: string, clientHeaders: readonly string[]) =>
    testApi({
      name,
      prefixes: ['/shared'],
      clientHeaders,
      mountRoutes: (target) =>
        mount(target, { ...echoParams, path }, async () => new Response(name)),
    });
  const { app } = createTestApp({
    apis: [
      api('marked', '/shared/{thing}/parts/{part}', ['x-marked']),
      api('plain', '/shared/{thing...}', []),
    ],
  });

  it.each([
    ['/shared/ember/parts/1', {}, 'plain'],
    ['/shared/ember/parts/1', { 'x-marked': '1' }, 'marked'],
    ['/shared/ember', { 'x-marked': '1' }, 'plain'],
    ['/shared/ember/other/1', { 'x-marked': '1' }, 'plain'],
  ])('is answered by the API of the client: %s %o', async (path, marks, expected) => {
    expect(await (await app.request(path, { headers: marks })).text()).toBe(expected);
  });
});
