import { describe, expect, it } from 'vitest';
import type { Permission } from '../../src/kernel/permission.ts';
import { get, post } from '../setup/server/api.ts';
import { exchange, parseResponse } from '../setup/server/exchange.ts';
import { expectError } from '../setup/server/expect-error.ts';
import { withTokens } from '../setup/server/with-tokens.ts';
import { useHearth } from '../setup/server/use-hearth.ts';

const hello = { model: 'hearth/starter-chat', input: 'Hello!', reasoning: 'off' };

let tokens: Readonly<Record<'chat' | 'otherChat' | 'models' | 'revoked' | 'expired', string>>;

const hearth = useHearth(async (home) => {
  tokens = await withTokens(home, async (service, store) => {
    const make = async (permissions: readonly Permission[], expiresAt?: Date) =>
      service.create({
        name: 'test',
        permissions,
        ...(expiresAt === undefined ? {} : { expiresAt }),
      });
    const revoked = await make(['admin']);
    await store.tokens.delete(revoked.record.id);
    return {
      chat: (await make(['chat'])).token,
      otherChat: (await make(['chat'])).token,
      models: (await make(['models:read'])).token,
      revoked: revoked.token,
      expired: (await make(['admin'], new Date(Date.now() - 1000))).token,
    };
  });
  return { flags: ['--auth-required'] };
});

const bearing = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });

describe('a token that is required', () => {
  const unknown = `hearth-0123456789-${'a'.repeat(48)}`;
  const cases: readonly (readonly [string, () => string | undefined, RegExp])[] = [
    ['missing', () => undefined, /requires a token.* "Authorization: Bearer <token>"/],
    ['of another scheme', () => 'Basic aGVhcnRoOnNlY3JldA==', /is not one of this server/],
    ['empty', () => 'Bearer ', /is not one of this server/],
    ['malformed', () => 'Bearer sk-unrelated-foreign-secret', /"…" is not one of this server/],
    ['unknown', () => `Bearer ${unknown}`, /"hearth-0123…" is unknown or revoked/],
    [
      'with a wrong secret',
      () => `Bearer ${tokens.chat.slice(0, -4)}0000`,
      /is unknown or revoked/,
    ],
    ['revoked', () => `Bearer ${tokens.revoked}`, /is unknown or revoked/],
    ['expired', () => `Bearer ${tokens.expired}`, /has expired/],
    ['twice', () => `Bearer ${tokens.chat} Bearer ${tokens.chat}`, /is not one of this server/],
  ];

  // covers auth-2, auth-5, auth-13
  it.each(cases)('and is %s', async (_, header, message) => {
    const authorization = header();
    const headers: Record<string, string> = authorization === undefined ? {} : { authorization };
    for (const path of ['/api/v1/responses', '/api/v0/models', '/api/v1/status']) {
      const answer = await get(hearth.url, path, { headers });
      expectError(answer, { code: 'invalid_api_key', message, isV0: path.includes('v0') });
      expect(answer.headers.get('www-authenticate')).toBe('Bearer');
      const secret = authorization?.split(/[- ]/).at(-1) || 'secret';
      expect(answer.body.error.message).not.toContain(secret);
    }
  });

  // covers server-1
  it('is not required by the health endpoints', async () => {
    for (const path of ['/health', '/ready']) {
      expect((await get(hearth.url, path)).status).toBe(200);
    }
  });
});

// covers auth-6
it('rejects a token without the permission, for any request', async () => {
  const refusals = [
    ['/api/v1/chat', 'models', 'chat'],
    ['/api/v0/chat/completions', 'models', 'chat'],
    ['/api/v0/completions', 'models', 'chat'],
    ['/api/v0/embeddings', 'chat', 'embeddings'],
    ['/api/v1/models/load', 'models', 'models:write'],
    ['/api/v1/models/unload', 'chat', 'models:write'],
  ] as const;
  for (const [path, token, permission] of refusals) {
    const answer = await post(hearth.url, path, { nonsense: true }, bearing(tokens[token]));
    const message = `lacks the permission "${permission}"; it has: `;
    expectError(answer, { code: 'forbidden', message, isV0: path.includes('v0') });
  }
  for (const path of ['/api/v1/models', '/api/v0/models/x', '/api/v1/status']) {
    const answer = await get(hearth.url, path, bearing(tokens.chat));
    const message = 'lacks the permission "models:read"; it has: chat.';
    expectError(answer, { code: 'forbidden', message, isV0: path.includes('v0') });
  }
});

// covers v1-stored-5
it('hides the responses of one token from another', async () => {
  const own = bearing(tokens.chat);
  const foreign = bearing(tokens.otherChat);
  const { body } = await post(hearth.url, '/api/v1/chat', hello, own);
  const id = String(body.response_id);
  const path = `/api/v1/responses/${id}`;
  for (const method of ['GET', 'DELETE']) {
    const answer = await get(hearth.url, path, { ...foreign, method });
    expectError(answer, { code: 'response_not_found', param: 'response_id', message: id });
  }
  const list = await get(hearth.url, '/api/v1/responses', foreign);
  expect(list.body).toEqual({ responses: [], next_cursor: null });
  const continued = { ...hello, previous_response_id: id };
  expectError(await post(hearth.url, '/api/v1/chat', continued, foreign), {
    code: 'invalid_value',
    param: 'previous_response_id',
    message: `"${id}" is not stored`,
  });
  expect((await get(hearth.url, path, own)).status).toBe(200);
  expect((await post(hearth.url, '/api/v1/chat', continued, own)).status).toBe(200);
});

// covers auth-11
it.each([
  ['attacker.example'],
  ['127.0.0.1.attacker.example'],
  ['localhost@attacker.example'],
  ['attacker.example:80#@127.0.0.1'],
  ['169.254.169.254'],
])('rejects the host %s, even with a valid token', async (host) => {
  const answer = parseResponse(
    await exchange(
      hearth.url,
      `GET /api/v1/responses HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${tokens.chat}\r\nConnection: close\r\n\r\n`,
    ),
  );
  expect([400, 403]).toContain(answer.status);
  expect(['forbidden', 'invalid_value']).toContain(answer.body.error.code);
});
