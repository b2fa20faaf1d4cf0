import { beforeEach, expect, it } from 'vitest';
import { temporaryStore } from '../../test/setup/store/temporary-store.ts';
import type { StoredSession } from './session-repository.ts';
import type { Store } from './store.ts';
import { noLimits } from './shared/rate-limit-repository.ts';

let store: Store;
beforeEach(async () => {
  store = await temporaryStore();
});

const session = (id: string, fields: Partial<StoredSession> = {}): StoredSession => ({
  id,
  tokenId: 'owner',
  secretHash: 'ab',
  previousHash: null,
  rotatedAt: new Date(1000),
  confirmedAt: null,
  userAgent: 'Mozilla/5.0',
  address: '192.168.1.7',
  isSecure: true,
  createdAt: new Date(1000),
  lastUsedAt: new Date(1000),
  ...fields,
});

it('returns the stored sessions of a token or of all, latest use first', async () => {
  const other = session('b', { tokenId: 't', lastUsedAt: new Date(2000), isSecure: false });
  await store.sessions.insert(session('a'));
  await store.sessions.insert(other);
  expect(await store.sessions.find('b')).toEqual(other);
  expect(await store.sessions.find('c')).toBeUndefined();
  expect(await store.sessions.list()).toEqual([other, session('a')]);
  expect(await store.sessions.list('owner')).toEqual([session('a')]);
});

it('records uses, and deletes what was not used', async () => {
  await store.sessions.insert(session('a'));
  await store.sessions.insert(session('b'));
  await store.sessions.touch('a', new Date(5000), '10.0.0.2');
  const used = session('a', { lastUsedAt: new Date(5000), address: '10.0.0.2' });
  expect(await store.sessions.find('a')).toEqual(used);
  await store.sessions.deleteUnused(new Date(4999));
  expect(await store.sessions.list()).toEqual([used]);
  expect(await store.sessions.delete('a')).toBe(true);
  expect(await store.sessions.delete('a')).toBe(false);
});

it('rotates secrets for one of several requests, and confirms only the present ones', async () => {
  await store.sessions.insert(session('a', { confirmedAt: new Date(1500) }));
  const next = { previousHash: 'ab', rotatedAt: new Date(2000) };
  const rotations = ['cd', 'ef'].map((secretHash) =>
    store.sessions.rotate('a', 'ab', { ...next, secretHash }),
  );
  expect((await Promise.all(rotations)).filter(Boolean)).toHaveLength(1);
  const rotated = await store.sessions.find('a');
  expect(rotated).toMatchObject({ ...next, confirmedAt: null });
  await store.sessions.confirm('a', 'ab', new Date(3000));
  expect(await store.sessions.find('a')).toEqual(rotated);
  await store.sessions.confirm('a', rotated?.secretHash ?? '', new Date(3000));
  await store.sessions.confirm('a', rotated?.secretHash ?? '', new Date(4000));
  expect(await store.sessions.find('a')).toEqual({ ...rotated, confirmedAt: new Date(3000) });
});

it('gives a code to one caller, before it expires', async () => {
  const add = (codeHash: string, expiresAt: Date, now = new Date(0)) =>
    store.sessions.addCode({ codeHash, tokenId: 'owner', expiresAt }, now);
  await add('a', new Date(2000));
  const taken = [1, 2, 3].map(() => store.sessions.takeCode('a', new Date(1999)));
  expect((await Promise.all(taken)).filter((each) => each === 'owner')).toHaveLength(1);
  await add('b', new Date(2000));
  expect(await store.sessions.takeCode('b', new Date(2000))).toBeUndefined();
  await add('c', new Date(2000));
  await add('d', new Date(9000), new Date(2000));
  expect(await store.sessions.takeCode('c', new Date(0))).toBeUndefined();
  expect(await store.sessions.takeCode('d', new Date(0))).toBe('owner');
});

it('keeps the latest 16 codes of a token', async () => {
  const add = (codeHash: string, tokenId: string, time: number) =>
    store.sessions.addCode({ codeHash, tokenId, expiresAt: new Date(time) }, new Date(0));
  await add('other', 't', 1);
  for (let index = 1; index <= 17; index += 1) await add(`${index}`, 'owner', index);
  expect(await store.sessions.takeCode('1', new Date(0))).toBeUndefined();
  expect(await store.sessions.takeCode('2', new Date(0))).toBe('owner');
  expect(await store.sessions.takeCode('other', new Date(0))).toBe('t');
});

it('deletes the sessions and codes of a token with it', async () => {
  await store.tokens.insert({
    id: 't',
    name: 'laptop',
    permissions: ['chat'],
    secretHash: 'ab',
    createdAt: new Date(0),
    expiresAt: null,
    lastUsedAt: null,
    rateLimits: noLimits,
    modelScope: null,
    priority: 'normal',
  });
  await store.sessions.insert(session('a', { tokenId: 't' }));
  await store.sessions.insert(session('b'));
  const code = { codeHash: 'a', tokenId: 't', expiresAt: new Date(2000) };
  await store.sessions.addCode(code, new Date(0));
  await store.tokens.delete('t');
  expect(await store.sessions.list()).toEqual([session('b')]);
  expect(await store.sessions.takeCode('a', new Date(0))).toBeUndefined();
});
