import { expect, it } from 'vitest';
import { generateOwnerToken, withOwnerToken } from './owner-token.ts';
import { parseToken } from './token-form.ts';

const now = new Date();
const stored = { authenticate: async () => ({ kind: 'none' }) as const };

it('accepts the owner as admin', async () => {
  const owner = generateOwnerToken();
  const result = await withOwnerToken(stored, owner).authenticate(`Bearer ${owner}`, now);
  expect(result).toMatchObject({ kind: 'token', token: { id: 'owner', permissions: ['admin'] } });
});

it('leaves every other token to the service', async () => {
  const service = withOwnerToken(stored, generateOwnerToken());
  for (const header of [undefined, '', 'Bearer ', `Bearer ${generateOwnerToken()}`, 'Basic abc']) {
    expect(await service.authenticate(header, now)).toEqual({ kind: 'none' });
  }
});

it('has a form that no stored token has', () => {
  expect(parseToken(generateOwnerToken())).toBeUndefined();
  expect(generateOwnerToken()).not.toBe(generateOwnerToken());
});
