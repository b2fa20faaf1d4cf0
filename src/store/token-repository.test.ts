import { beforeEach, expect, it } from 'vitest';
import { temporaryStore } from '../../test/setup/store/temporary-store.ts';
import type { Store, StoredToken } from './store.ts';
import { noLimits } from './shared/rate-limit-repository.ts';

let store: Store;
beforeEach(async () => {
  store = await temporaryStore();
});

const token = (id: string, fields: Partial<StoredToken> = {}): StoredToken => ({
  id,
  name: 'laptop',
  permissions: ['chat', 'models:read'],
  secretHash: 'ab'.repeat(32),
  createdAt: new Date(1000),
  expiresAt: null,
  lastUsedAt: null,
  rateLimits: noLimits,
  modelScope: null,
  priority: 'normal',
  ...fields,
});

it('returns the stored tokens, oldest first', async () => {
  const old = token('b', {
    createdAt: new Date(1),
    expiresAt: new Date(5),
    lastUsedAt: new Date(4),
  });
  await store.tokens.insert(token('a'));
  await store.tokens.insert(old);
  expect(await store.tokens.find('b')).toEqual(old);
  expect(await store.tokens.list()).toEqual([old, token('a')]);
  expect(await store.tokens.find('c')).toBeUndefined();
});

it('records the last use', async () => {
  await store.tokens.insert(token('a'));
  await store.tokens.touch('a', new Date(9));
  expect(await store.tokens.find('a')).toEqual(token('a', { lastUsedAt: new Date(9) }));
});

it('deletes once', async () => {
  await store.tokens.insert(token('a'));
  expect(await store.tokens.delete('a')).toBe(true);
  expect(await store.tokens.delete('a')).toBe(false);
  expect(await store.tokens.list()).toEqual([]);
});

it('changes what it is told to, and keeps the rest', async () => {
  const before = token('a', {
    expiresAt: new Date(5),
    rateLimits: { ...noLimits, requestsPerMinute: 3, tokensPerDay: 9 },
    modelScope: ['hearth/*'],
  });
  await store.tokens.insert(before);
  await store.tokens.insert(token('b'));
  expect(await store.tokens.update('a', {})).toEqual(before);
  const after = {
    ...before,
    name: 'desk',
    expiresAt: null,
    rateLimits: { ...noLimits, requestsPerMinute: 3, requestsPerDay: 7 },
    modelScope: null,
    priority: 'background' as const,
  };
  const changes = {
    name: 'desk',
    expiresAt: null,
    rateLimits: { tokensPerDay: null, requestsPerDay: 7 },
    modelScope: null,
    priority: 'background' as const,
  };
  expect(await store.tokens.update('a', changes)).toEqual(after);
  expect(await store.tokens.list()).toEqual([after, token('b')]);
  const chat = await store.tokens.update('a', { permissions: ['chat'], modelScope: [] });
  expect(chat).toEqual({ ...after, permissions: ['chat'], modelScope: [] });
  expect(await store.tokens.update('c', { name: 'x' })).toBeUndefined();
});
