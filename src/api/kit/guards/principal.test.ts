import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { permissionSchema } from '../../../kernel/permission.ts';
import { anonymousPrincipal, authorize, permits, principalOf, toCaller } from './principal.ts';
import { ownerId as homeOwner } from '../../../access/authenticator.ts';
import type { StoredToken } from '../../../store/store.ts';

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
  rateLimits: { requestsPerMinute: 3, tokensPerMinute: null },
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
      identity: { type: 'token', id: 'token1', name: 'CI', expiresAt },
      rateLimits: { requestsPerMinute: 3, tokensPerMinute: null },
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
