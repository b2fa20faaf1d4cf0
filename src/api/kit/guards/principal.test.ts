import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { permissionSchema } from '../../../kernel/permission.ts';
import {
  anonymousPrincipal,
  authorize,
  identify,
  permits,
  principalOf,
  toCaller,
} from './principal.ts';
import { ownerId as homeOwner } from '../../../access/authenticator.ts';
import type { StoredToken } from '../../../store/store.ts';
import type { Authentication } from '../../../access/token-service.ts';
import { noLimits } from '../../../store/shared/rate-limit-repository.ts';

it('lets an anonymous caller do what runs no program and changes no token', () => {
  expect(permissionSchema.options.filter((each) => permits(anonymousPrincipal, each))).toEqual([
    'chat',
    'embeddings',
    'models:read',
    'models:write',
    'ephemeral-mcp',
    'metrics',
  ]);
});

describe('an endpoint', () => {
  it('that needs no permission gives a caller without a token none', () => {
    expect(authorize(null, null)).toEqual({ tokenId: null, permissions: [] });
    expect(authorize(anonymousPrincipal, null)).toBe(anonymousPrincipal);
  });

  it('refuses a request without a token, and names the way to one', () => {
    expect(authorize(null, 'chat')).toMatchObject({
      code: 'invalid_api_key',
      message:
        'This server requires a token. Send it as "Authorization: Bearer <token>"; `hearth token create` makes one.',
    });
  });

  it('with several permissions needs one of them', () => {
    const principal = { tokenId: 't', permissions: ['models:read'] } as const;
    expect(authorize(principal, ['chat', 'models:read'])).toBe(principal);
    expect(authorize(principal, ['chat', 'embeddings'])).toMatchObject({
      message: 'The token lacks the permission "chat" or "embeddings"; it has: models:read.',
    });
  });

  it.each([
    [anonymousPrincipal, 'This endpoint needs a token with the permission "admin".'],
    [
      { tokenId: 't', permissions: ['chat', 'models:read'] },
      'The token lacks the permission "admin"; it has: chat, models:read.',
    ],
    [{ tokenId: 't', permissions: [] }, 'The token lacks the permission "admin"; it has: none.'],
  ] as const)('names the permission that %o lacks', (principal, message) => {
    expect(authorize(principal, 'admin')).toMatchObject({ code: 'forbidden', message });
  });
});

const now = new Date('2026-05-01T12:00:00Z');
const token: StoredToken = {
  id: 'token1',
  name: 'CI',
  permissions: ['chat'],
  secretHash: '',
  createdAt: new Date(0),
  expiresAt: null,
  lastUsedAt: null,
  rateLimits: { ...noLimits, requestsPerMinute: 3 },
  modelScope: null,
  priority: 'normal',
};
const find = (ownerId: string | null, isTokenRequired: boolean, stored?: StoredToken) =>
  principalOf(
    { find: async (id) => (id === stored?.id ? stored : undefined) },
    ownerId,
    isTokenRequired,
  );

beforeEach(() => void vi.useFakeTimers({ now, toFake: ['Date'] }));
afterEach(() => void vi.useRealTimers());

it('gives work without an owner the rights of a request without a token', async () => {
  expect(await find(null, false)).toBe(anonymousPrincipal);
  expect(await find(null, true)).toBeUndefined();
});

it('gives the owner of the home folder all rights', async () => {
  expect(await find(homeOwner, true)).toEqual({ tokenId: homeOwner, permissions: ['admin'] });
});

it.each([null, new Date(now.getTime() + 1)])(
  'gives a token that expires at %s its rights and limits',
  async (expiresAt) => {
    expect(await find('token1', true, { ...token, expiresAt })).toEqual({
      tokenId: 'token1',
      permissions: ['chat'],
      identity: { type: 'token', id: 'token1', tokenId: 'token1', name: 'CI', expiresAt },
      rateLimits: { ...noLimits, requestsPerMinute: 3 },
      modelScope: null,
      priority: 'normal',
    });
  },
);

it('gives a token that was revoked or has expired no rights', async () => {
  expect(await find('token1', false)).toBeUndefined();
  expect(await find('token1', false, { ...token, expiresAt: now })).toBeUndefined();
});

const anonymous = { tokenId: null, permissions: [] };

it.each([
  ['192.0.2.1', 'address 192.0.2.1'],
  ['::ffff:192.0.2.1', 'address 192.0.2.1'],
  ['2001:db8:1:2:3:4:5:6', 'address 2001:db8:1:2::/64'],
  ['2001:db8:1:2::9', 'address 2001:db8:1:2::/64'],
  [undefined, 'address unknown'],
])('counts the address %s as %s', (address, clientKey) => {
  expect(toCaller(anonymous, address).clientKey).toBe(clientKey);
});

it('counts a token as one client at any address', () => {
  expect(toCaller({ tokenId: 'a1', permissions: [] }, '192.0.2.1').clientKey).toBe('token a1');
});

it('has the permissions of its token, and all of them with `admin`', () => {
  const chatter = toCaller({ tokenId: 'a1', permissions: ['chat'] }, undefined);
  expect([chatter.hasPermission('chat'), chatter.hasPermission('plugins')]).toEqual([true, false]);
  const admin = toCaller({ tokenId: 'a1', permissions: ['admin'] }, undefined);
  expect(admin.hasPermission('plugins')).toBe(true);
});

const noCookie = { cookie: undefined, address: undefined };
const identifyAs = (authentication: Authentication, isTokenRequired: boolean) =>
  identify(
    { authenticate: async () => authentication },
    { ...noCookie, authorization: 'Bearer x', apiKey: undefined },
    isTokenRequired,
  );

describe.each([true, false])('with tokens required: %s', (isTokenRequired) => {
  it.each([
    [
      'unknown',
      'The token "hearth-ab…" is unknown or revoked. `hearth token create` makes a new one.',
    ],
    ['expired', 'The token "hearth-ab…" has expired. `hearth token create` makes a new one.'],
    [
      'ended',
      'The session has ended, or was ended on another device. Sign in again, or run `hearth open`.',
    ],
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

const tokenOf = (id: string): Authentication => ({
  kind: 'token',
  token: {
    id,
    name: `${id}'s name`,
    permissions: ['chat'],
    secretHash: '',
    createdAt: new Date(0),
    expiresAt: null,
    lastUsedAt: null,
    rateLimits: noLimits,
    modelScope: null,
    priority: 'normal',
  },
});

it('tells the token of the owner from others, which have limits', async () => {
  expect(await identifyAs(tokenOf(homeOwner), true)).toEqual({
    tokenId: homeOwner,
    permissions: ['chat'],
    identity: {
      type: 'owner',
      id: homeOwner,
      tokenId: homeOwner,
      name: `${homeOwner}'s name`,
      expiresAt: null,
    },
  });
  expect(await identifyAs(tokenOf('other'), true)).toEqual({
    tokenId: 'other',
    permissions: ['chat'],
    identity: {
      type: 'token',
      id: 'other',
      tokenId: 'other',
      name: "other's name",
      expiresAt: null,
    },
    rateLimits: noLimits,
    modelScope: null,
    priority: 'normal',
  });
});

const day = 86_400_000;
const sessionOf = (owner: Authentication): Authentication => {
  if (owner.kind !== 'token') throw new Error('not a token');
  return {
    kind: 'session',
    session: {
      id: 's',
      tokenId: owner.token.id,
      secretHash: '',
      previousHash: null,
      rotatedAt: new Date(0),
      confirmedAt: null,
      userAgent: '',
      address: '',
      isSecure: false,
      createdAt: new Date(0),
      lastUsedAt: new Date(0),
    },
    token: owner.token,
    rotate,
  };
};
const rotate = async () => undefined;

it.each([
  [true, homeOwner],
  [false, null],
])('lets a session act for the owner, with tokens required: %s', async (isRequired, tokenId) => {
  expect(await identifyAs(sessionOf(tokenOf(homeOwner)), isRequired)).toEqual({
    tokenId,
    permissions: ['chat'],
    modelScope: null,
    priority: 'normal',
    identity: {
      type: 'session',
      id: 's',
      tokenId: homeOwner,
      name: null,
      expiresAt: new Date(30 * day),
      rotate,
    },
  });
});

it('lets a session act for a token, with its permissions and limits, until it expires', async () => {
  const other = tokenOf('other');
  const expiresAt = new Date(day);
  const session = sessionOf(
    other.kind === 'token' ? { ...other, token: { ...other.token, expiresAt } } : other,
  );
  expect(await identifyAs(session, false)).toMatchObject({
    tokenId: 'other',
    permissions: ['chat'],
    identity: { type: 'session', id: 's', tokenId: 'other', name: "other's name", expiresAt },
    rateLimits: noLimits,
    modelScope: null,
    priority: 'normal',
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
    const result = await identify(authenticator, { ...noCookie, authorization, apiKey }, true);
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
    if (text === 'one' || text === 'two') return tokenOf(text);
    const reason = text === 'revoked' ? 'unknown' : 'malformed';
    return { kind: 'invalid', reason, masked: text };
  };
  const identifyWith = (authorization?: string, apiKey?: string) =>
    identify({ authenticate }, { ...noCookie, authorization, apiKey }, true);

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
