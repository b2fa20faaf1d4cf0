import { expect, it } from 'vitest';
import { createAuthenticator, generateOwnerToken } from './authenticator.ts';
import { parseToken } from './token-form.ts';
import { noLimits } from '../store/shared/rate-limit-repository.ts';

const now = new Date();
const stored = { kind: 'invalid', reason: 'unknown', masked: 'stored' } as const;
const ownerToken = generateOwnerToken();
const token = {
  id: 't',
  name: 'laptop',
  permissions: ['chat' as const],
  secretHash: '',
  createdAt: now,
  expiresAt: null,
  lastUsedAt: null,
  rateLimits: noLimits,
  modelScope: null,
  priority: 'normal' as const,
};
const session = (tokenId: string) => ({
  id: '0123456789abcdef',
  tokenId,
  secretHash: '',
  previousHash: null,
  rotatedAt: now,
  confirmedAt: null,
  userAgent: '',
  address: '192.168.1.7',
  isSecure: false,
  createdAt: now,
  lastUsedAt: now,
});
const sessionToken = `hearth-session-0123456789abcdef-${'a'.repeat(32)}`;
/** The cookie says which session it is. */
const authenticator = createAuthenticator({
  tokens: {
    authenticate: async () => stored,
    find: async (id) => (id === 't' ? token : undefined),
  },
  ownerToken,
  sessions: {
    authenticate: async (_, cookie) => (cookie === '' ? undefined : session(cookie)),
    rotate: async (_, { secret }, cookie) => `${secret.length} ${cookie}`,
  },
});
const authenticate = (text: string, cookie = '') =>
  authenticator.authenticate(text, now, {
    cookie: (name) => (name === 'hearth-session-0123456789abcdef' ? cookie : 'wrong'),
    address: '192.168.1.7',
  });

it('accepts the owner as admin', async () => {
  expect(await authenticate(ownerToken)).toMatchObject({
    kind: 'token',
    token: { id: 'owner', permissions: ['admin'] },
  });
});

it('accepts a session of the owner, and of a token that is valid', async () => {
  const ofOwner = await authenticate(sessionToken, 'owner');
  expect(ofOwner).toMatchObject({ kind: 'session', token: { id: 'owner' } });
  expect(ofOwner.kind === 'session' && (await ofOwner.rotate())).toBe('32 owner');
  const ofToken = await authenticate(sessionToken, 't');
  expect(ofToken).toMatchObject({ kind: 'session', session: session('t'), token });
});

it.each(['', 'revoked'])('refuses a session that has ended: %j', async (cookie) => {
  expect(await authenticate(sessionToken, cookie)).toEqual({
    kind: 'invalid',
    reason: 'ended',
    masked: 'hearth-session-…',
  });
});

it('leaves every other token to the service', async () => {
  for (const text of ['', generateOwnerToken(), 'abc']) {
    expect(await authenticate(text)).toEqual(stored);
  }
});

it('has a form that no stored token has', () => {
  expect(parseToken(generateOwnerToken())).toBeUndefined();
  expect(generateOwnerToken()).not.toBe(generateOwnerToken());
});
