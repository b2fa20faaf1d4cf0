import { expect, it } from 'vitest';
import { createAuthenticator, generateOwnerToken } from './authenticator.ts';
import { parseToken } from './token-form.ts';

const now = new Date();
const stored = { kind: 'invalid', reason: 'unknown', masked: 'stored' } as const;
const session = { id: 's1', createdAt: now, lastUsedAt: now, expiresAt: now };
const ownerToken = generateOwnerToken();
const authenticator = createAuthenticator({
  tokens: { authenticate: async () => stored },
  ownerToken,
  sessions: {
    authenticate: (text) => {
      if (text === 'ended') return undefined;
      return text === 'session' ? session : 'foreign';
    },
  },
});

it('accepts the owner as admin', async () => {
  expect(await authenticator.authenticate(ownerToken, now)).toMatchObject({
    kind: 'token',
    token: { id: 'owner', permissions: ['admin'] },
  });
});

it('accepts a session, and refuses one that has ended', async () => {
  expect(await authenticator.authenticate('session', now)).toEqual({ kind: 'session', session });
  expect(await authenticator.authenticate('ended', now)).toEqual({
    kind: 'invalid',
    reason: 'ended',
    masked: 'hearth-session-…',
  });
});

it('leaves every other token to the service', async () => {
  for (const text of ['', generateOwnerToken(), 'abc']) {
    expect(await authenticator.authenticate(text, now)).toEqual(stored);
  }
});

it('has a form that no stored token has', () => {
  expect(parseToken(generateOwnerToken())).toBeUndefined();
  expect(generateOwnerToken()).not.toBe(generateOwnerToken());
});
