import { describe, expect, it } from 'vitest';
import type { Permission } from '../../../kernel/permission.ts';
import { mount } from '../mount.ts';
import { createTestApp } from '../../../../test/setup/http/test-app.ts';
import { echoBody, guarded } from '../../../../test/setup/http/test-routes.ts';

const json = { 'Content-Type': 'application/json' };
const permissions = [null, 'chat', 'models:read', 'plugins', 'admin'] as const;

type Settings = NonNullable<Parameters<typeof createTestApp>[0]>['settings'];
const appWith = (settings: Settings = {}) =>
  createTestApp({
    settings,
    v1Routes: (app) => {
      mount(app, echoBody, async ({ body }) => body);
      for (const permission of permissions) {
        mount(app, guarded(permission), async ({ context }) => ({
          tokenId: context.caller.tokenId,
        }));
      }
    },
  });

async function statusAndCode(response: Response) {
  const body = (await response.json()) as { error?: { code?: string; message?: string } };
  return [response.status, body.error?.code];
}

describe('Host', () => {
  it.each([
    ['localhost', {}, 200],
    ['localhost:1234', {}, 200],
    ['LOCALHOST:1234', {}, 200],
    ['127.0.0.1:1234', {}, 200],
    ['127.8.9.10', {}, 200],
    ['[::1]:1234', {}, 200],
    ['attacker.example', {}, 403],
    ['localhost.attacker.example', {}, 403],
    ['127.0.0.1.attacker.example:1234', {}, 403],
    ['192.168.1.5:1234', {}, 403],
    ['169.254.169.254', {}, 403],
    ['hearth.lan', {}, 403],
    ['hearth.lan', { 'server.allowedHosts': ['Hearth.lan'] }, 200],
    ['hearth.lan:81', { 'server.allowedHosts': ['hearth.lan'] }, 200],
    ['hearth.lan:81', { 'server.allowedHosts': ['hearth.lan:80'] }, 403],
    ['box.lan', { 'server.host': 'box.lan' }, 200],
    ['192.168.1.5', { 'server.host': '192.168.1.5' }, 200],
    ['192.168.1.5', { 'server.host': '0.0.0.0' }, 200],
    ['[2001:db8::1]', { 'server.host': '::' }, 200],
    ['attacker.example', { 'server.host': '0.0.0.0' }, 403],
  ])('%s with %o → %d', async (host, settings, status) => {
    const { app } = appWith(settings);
    expect((await app.request(`http://${host}/health`)).status).toBe(status);
  });
});

describe('Origin', () => {
  it.each([
    [undefined, [], 200],
    ['http://localhost:1234', [], 200],
    ['http://localhost', [], 403],
    ['https://localhost:1234', [], 403],
    ['http://localhost:3000', [], 403],
    ['null', [], 403],
    ['', [], 403],
    ['http://localhost:1234, http://attacker.example', [], 403],
    ['http://localhost:3000', ['http://localhost:3000'], 200],
    ['http://localhost:3000', ['http://localhost:3000/'], 200],
    ['http://localhost:3000.attacker.example', ['http://localhost:3000'], 403],
    ['null', ['null'], 403],
    ['https://anything.example', ['*'], 200],
    ['null', ['*'], 200],
  ])('%s with %o → %d', async (origin, cors, status) => {
    const { app } = appWith({ 'server.cors': cors });
    const headers: Record<string, string> = origin === undefined ? {} : { Origin: origin };
    const response = await app.request('http://localhost:1234/health', { headers });
    expect(response.status).toBe(status);
    const isShared = status === 200 && cors.length > 0;
    expect(response.headers.get('Access-Control-Allow-Origin')).toBe(isShared ? origin : null);
  });

  it('refuses a foreign page whatever the method', async () => {
    const { app } = appWith();
    for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
      const headers = { Origin: 'https://attacker.example' };
      const response = await app.request('/api/v1/echo', { method, headers });
      expect(response.status).toBe(403);
    }
  });

  it('answers a preflight of a listed origin without a token, and of no other', async () => {
    const { app } = appWith({ 'server.cors': ['https://app.example'], 'auth.required': true });
    const ask = (origin: string) =>
      app.request('/api/v1/echo', {
        method: 'OPTIONS',
        headers: {
          Origin: origin,
          'Access-Control-Request-Method': 'POST',
          'Access-Control-Request-Headers': 'authorization,content-type,x-client-os',
        },
      });
    const answer = await ask('https://app.example');
    expect(answer.status).toBe(204);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'access-control-allow-origin': 'https://app.example',
      'access-control-allow-headers': 'authorization,content-type,x-client-os',
      vary: 'Origin',
    });
    expect((await ask('https://attacker.example')).status).toBe(403);
  });

  it('lets a listed page read errors', async () => {
    const { app } = appWith({ 'server.cors': ['https://app.example'], 'auth.required': true });
    const headers = { Origin: 'https://app.example' };
    const response = await app.request('/api/v1/needs/chat', { headers });
    expect(response.status).toBe(401);
    expect(response.headers.get('Access-Control-Allow-Origin')).toBe('https://app.example');
  });
});

describe('Content-Type', () => {
  it.each([
    ['application/json', 200],
    ['Application/JSON', 200],
    ['application/json; charset=utf-8', 200],
    ['application/json;charset="UTF-8"', 200],
    ['application/json; charset=iso-8859-1', 415],
    ['text/plain', 415],
    ['text/plain; application/json', 415],
    ['application/jsonx', 415],
    ['application/json\t', 200],
    ['application/json\t; a=b', 415],
    ['text/plain;\tapplication/json', 415],
    ['application/json, text/plain', 415],
    ['application/x-www-form-urlencoded', 415],
    ['multipart/form-data; boundary=application/json', 415],
  ])('%j → %d', async (contentType, status) => {
    const { app } = appWith();
    const headers = { 'Content-Type': contentType };
    const response = await app.request('/api/v1/echo', {
      method: 'POST',
      headers,
      body: '{"text":"a"}',
    });
    expect(response.status).toBe(status);
  });

  // covers auth-10
  it('matters only after the token', async () => {
    const { app } = appWith({ 'auth.required': true });
    const headers = { 'Content-Type': 'text/plain' };
    const response = await app.request('/api/v1/echo', { method: 'POST', headers, body: 'a' });
    expect(response.status).toBe(401);
  });

  it('refuses a body without a type', async () => {
    const { app } = appWith();
    const body = new Blob(['{"text":"a"}']);
    const headers = { 'Content-Length': '12' };
    const response = await app.request('/api/v1/echo', { method: 'POST', body, headers });
    expect(await statusAndCode(response)).toEqual([415, 'unsupported_media_type']);
  });

  it('says that there is no body', async () => {
    const { app } = appWith();
    const response = await app.request('/api/v1/echo', { method: 'POST' });
    expect(await statusAndCode(response)).toEqual([400, 'invalid_json']);
  });
});

describe('sizes', () => {
  it('refuses a declared length beyond the limit', async () => {
    const { app } = appWith({ 'limits.bodyBytes': 1024 });
    const text = 'a'.repeat(1024);
    const response = await app.request('/api/v1/echo', {
      method: 'POST',
      headers: { ...json, 'Content-Length': '1035' },
      body: JSON.stringify({ text }),
    });
    expect(await statusAndCode(response)).toEqual([413, 'body_too_large']);
  });

  it('takes a URL of 8192 characters, and none that is longer', async () => {
    const { app } = appWith();
    const ask = (length: number) => app.request('http://localhost/health?a='.padEnd(length, 'b'));
    expect((await ask(8192)).status).toBe(200);
    const refused = await ask(8193);
    expect(refused.status).toBe(400);
    expect(await refused.json()).toMatchObject({
      error: {
        code: 'invalid_value',
        message: 'The URL has 8193 characters; at most 8192 are allowed.',
      },
    });
  });

  it('refuses a long URL', async () => {
    const { app } = appWith();
    const response = await app.request(`/health?a=${'b'.repeat(9000)}`);
    expect(await statusAndCode(response)).toEqual([400, 'invalid_value']);
  });
});

describe('tokens and permissions', () => {
  const request = (permission: Permission | null, authorization?: string, isRequired = false) => {
    const { app } = appWith({ 'auth.required': isRequired });
    const headers: Record<string, string> = authorization ? { Authorization: authorization } : {};
    return app.request(`/api/v1/needs/${permission ?? 'nothing'}`, { headers });
  };

  it.each([
    ['optional', null, undefined, 200],
    ['optional', 'chat', undefined, 200],
    ['optional', 'plugins', undefined, 403],
    ['optional', 'admin', undefined, 403],
    ['optional', null, 'Bearer revoked', 401],
    ['optional', 'chat', 'Bearer revoked', 401],
    ['optional', 'chat', 'Bearer chat', 200],
    ['optional', 'models:read', 'Bearer chat', 403],
    ['optional', 'plugins', 'Bearer plugins', 200],
    ['required', null, undefined, 200],
    ['required', 'chat', undefined, 401],
    ['required', 'chat', 'Basic abc', 401],
    ['required', 'chat', 'Bearer chat', 200],
    ['required', 'models:read', 'Bearer chat', 403],
    ['required', 'models:read', 'Bearer admin', 200],
    ['required', 'plugins', 'Bearer admin', 200],
  ] as const)('token %s, %s asked, %s → %d', async (need, permission, authorization, status) => {
    const response = await request(permission, authorization, need === 'required');
    expect(response.status).toBe(status);
    expect(response.headers.get('WWW-Authenticate')).toBe(status === 401 ? 'Bearer' : null);
  });

  it('masks the token and names the permission', async () => {
    const refused = await (await request('chat', 'Bearer revoked')).json();
    expect(refused).toMatchObject({ error: { code: 'invalid_api_key', type: 'invalid_request' } });
    expect(JSON.stringify(refused)).not.toContain('revoked"');
    const lacking = await (await request('plugins', 'Bearer chat')).json();
    expect(lacking).toMatchObject({ error: { code: 'forbidden' } });
    expect(JSON.stringify(lacking)).toContain('plugins');
  });

  it('gives the handler who is calling', async () => {
    expect(await (await request('chat', 'Bearer chat')).json()).toEqual({ tokenId: 'token1' });
    expect(await (await request('chat')).json()).toEqual({ tokenId: null });
  });

  it('checks the permission before it reads the body', async () => {
    const { app } = appWith({ 'auth.required': true });
    const response = await app.request('/api/v1/echo', {
      method: 'POST',
      headers: json,
      body: '{',
    });
    expect(response.status).toBe(401);
  });
});

describe('every response', () => {
  // covers server-24
  it('has an id, the sane one of the client or our own', async () => {
    const { app } = appWith();
    const idFor = async (id: string) =>
      (await app.request('/health', { headers: { 'X-Request-Id': id } })).headers.get(
        'X-Request-Id',
      );
    expect(await idFor('job_1.a-B')).toBe('job_1.a-B');
    expect(await idFor('a b')).toMatch(/^[0-9a-f-]{36}$/);
    expect(await idFor('a'.repeat(65))).toMatch(/^[0-9a-f-]{36}$/);
    expect(
      (await app.request('http://attacker.example/')).headers.get('X-Request-Id'),
    ).not.toBeNull();
  });

  it('is not kept, sniffed or embedded', async () => {
    const { app } = appWith();
    for (const path of ['/health', '/nowhere']) {
      expect(Object.fromEntries((await app.request(path)).headers)).toMatchObject({
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
        'cross-origin-resource-policy': 'same-origin',
      });
    }
  });

  it('leaves one line in the log, without query and body', async () => {
    const { app, logLines } = appWith();
    const headers = { ...json, 'X-Request-Id': 'r1' };
    const body = '{"text":"secret"}';
    await app.request('/api/v1/echo?key=secret', { method: 'POST', headers, body });
    expect(logLines()).toHaveLength(1);
    expect(logLines()[0]).toMatchObject({
      level: 'info',
      requestId: 'r1',
      method: 'POST',
      path: '/api/v1/echo',
      status: 200,
    });
    expect(JSON.stringify(logLines())).not.toContain('secret');
  });
});
