import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { ownerId as homeOwner } from '../../../access/owner-token.ts';
import type { StoredToken } from '../../../store/store.ts';
import { principalOf } from './principal-of.ts';
import { anonymousPrincipal } from './principal.ts';

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
