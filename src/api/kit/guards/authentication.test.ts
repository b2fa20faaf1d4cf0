import { describe, expect, it } from 'vitest';
import { ownerId } from '../../../access/authenticator.ts';
import type { Authentication } from '../../../access/token-service.ts';
import { identify } from './authentication.ts';

const identifyAs = (authentication: Authentication, isTokenRequired: boolean) =>
  identify(
    { authenticate: async () => authentication },
    { authorization: 'Bearer x', apiKey: undefined },
    isTokenRequired,
  );

describe.each([true, false])('with tokens required: %s', (isTokenRequired) => {
  it.each([
    [
      'unknown',
      'The token "hearth-ab…" is unknown or revoked. `hearth token create` makes a new one.',
    ],
    ['expired', 'The token "hearth-ab…" has expired. `hearth token create` makes a new one.'],
    ['ended', 'The session has ended. `hearth open` starts a new one.'],
  ] as const)('refuses a token that is %s, and says why', async (reason, message) => {
    const refused = await identifyAs(
      { kind: 'invalid', reason, masked: 'hearth-ab…' },
      isTokenRequired,
    );
    expect(refused).toMatchObject({ code: 'invalid_api_key', message });
  });
});

it('refuses a header of another form only where a token is required', async () => {
  const malformed = { kind: 'invalid', reason: 'malformed', masked: '…' } as const;
  expect(await identifyAs(malformed, true)).toMatchObject({
    code: 'invalid_api_key',
    message:
      'The token "…" is not one of this server; the header has the form "Authorization: Bearer <token>". `hearth token create` makes a new one.',
  });
  expect(await identifyAs(malformed, false)).toMatchObject({ tokenId: null });
});

const token = (id: string): Authentication => ({
  kind: 'token',
  token: {
    id,
    name: `${id}'s name`,
    permissions: ['chat'],
    secretHash: '',
    createdAt: new Date(0),
    expiresAt: null,
    lastUsedAt: null,
    rateLimits: { requestsPerMinute: null, tokensPerMinute: null },
  },
});

it('tells the token of the owner from others, which have limits', async () => {
  expect(await identifyAs(token(ownerId), true)).toEqual({
    tokenId: ownerId,
    permissions: ['chat'],
    identity: { type: 'owner', id: ownerId, name: `${ownerId}'s name`, expiresAt: null },
  });
  expect(await identifyAs(token('other'), true)).toEqual({
    tokenId: 'other',
    permissions: ['chat'],
    identity: { type: 'token', id: 'other', name: "other's name", expiresAt: null },
    rateLimits: { requestsPerMinute: null, tokensPerMinute: null },
  });
});

it.each([
  [true, ownerId],
  [false, null],
])('lets a session act for the owner, with tokens required: %s', async (isRequired, tokenId) => {
  const expiresAt = new Date(1);
  const session = { id: 's', expiresAt } as Extract<Authentication, { kind: 'session' }>['session'];
  expect(await identifyAs({ kind: 'session', session }, isRequired)).toEqual({
    tokenId,
    permissions: ['admin'],
    identity: { type: 'session', id: 's', name: null, expiresAt },
  });
});

describe('an Authorization header', () => {
  const seen: string[] = [];
  const authenticator = {
    authenticate: async (text: string) => {
      seen.push(text);
      return { kind: 'invalid', reason: 'malformed', masked: '…' } as const;
    },
  };
  const textOf = async (authorization?: string, apiKey?: string) => {
    seen.length = 0;
    const result = await identify(authenticator, { authorization, apiKey }, true);
    return { result, texts: [...seen] };
  };

  it('that is missing is not a wrong one', async () => {
    expect(await textOf()).toEqual({ result: null, texts: [] });
  });

  it.each([
    '',
    'Bearer',
    'Bearer ',
    'Basic dXNlcjpwYXNz',
    'Bearer x hearth-0123456789',
    `Bearer ${'a '.repeat(10_000)}`,
  ])('of the form %j has no token', async (header) => {
    const { result, texts } = await textOf(header);
    expect(texts).toEqual(['']);
    expect(result).toMatchObject({ code: 'invalid_api_key' });
  });

  it('has a scheme in any case, and blanks around the token', async () => {
    expect((await textOf('bearer  hearth-1 ')).texts).toEqual(['hearth-1']);
  });

  it('may be an x-api-key, which has no scheme', async () => {
    expect((await textOf(undefined, 'hearth-1')).texts).toEqual(['hearth-1']);
    expect((await textOf(undefined, 'Bearer hearth-1')).texts).toEqual(['']);
  });
});

describe('of two headers', () => {
  /** Takes `one` and `two` for tokens, `revoked` for an unknown one, and anything else for a foreign key. */
  const authenticate = async (text: string): Promise<Authentication> => {
    if (text === 'one' || text === 'two') return token(text);
    const reason = text === 'revoked' ? 'unknown' : 'malformed';
    return { kind: 'invalid', reason, masked: text };
  };
  const identifyWith = (authorization?: string, apiKey?: string) =>
    identify({ authenticate }, { authorization, apiKey }, true);

  it.each([
    ['Bearer one', undefined, 'one'],
    [undefined, 'two', 'two'],
    ['Bearer one', 'two', 'one'],
    ['Bearer sk-foreign', 'two', 'two'],
    ['Bearer one', 'sk-foreign', 'one'],
  ])('%s and x-api-key %s identify the token %s', async (authorization, apiKey, tokenId) => {
    expect(await identifyWith(authorization, apiKey)).toMatchObject({ tokenId });
  });

  it.each([
    ['Bearer revoked', 'two', /"revoked" is unknown/],
    ['Bearer sk-one', 'revoked', /"revoked" is unknown/],
    ['Bearer sk-one', 'sk-two', /"sk-one" is not one of this server/],
    [undefined, 'sk-two', /"sk-two" is not one of this server/],
  ])('%s and x-api-key %s are refused', async (authorization, apiKey, message) => {
    expect(await identifyWith(authorization, apiKey)).toMatchObject({
      code: 'invalid_api_key',
      message: expect.stringMatching(message),
    });
  });
});
