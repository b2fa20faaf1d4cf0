import { beforeEach, expect, it } from 'vitest';
import { temporaryStore } from '../../test/setup/store/temporary-store.ts';
import type { NamedRecordKey } from './named-record.ts';
import type { Store } from './store.ts';

let store: Store;
beforeEach(async () => {
  store = await temporaryStore();
});

const keyOf = (name: string, ownerId: string | null = null): NamedRecordKey => ({
  kind: 'preset',
  ownerId,
  name,
});
const namesOf = async (ownerId: string | null) =>
  (await store.namedRecords.list('preset', ownerId)).map(({ name }) => name);

it('keeps records by kind, owner and name, in the order of their names', async () => {
  const { namedRecords } = store;
  for (const name of ['b', 'a', 'Ä']) await namedRecords.put(keyOf(name), { name });
  await namedRecords.put(keyOf('a', 'tok_a'), { own: true });
  await namedRecords.put({ ...keyOf('a'), kind: 'prompt' }, { text: 'Hi' });
  expect(await namesOf(null)).toEqual(['a', 'b', 'Ä']);
  expect(await namesOf('tok_a')).toEqual(['a']);
  expect(await namesOf('tok_b')).toEqual([]);
  expect(await namedRecords.find(keyOf('a', 'tok_a'))).toMatchObject({ content: { own: true } });
  expect(await namedRecords.find(keyOf('a', 'tok_b'))).toBeUndefined();
  expect(await namedRecords.list('prompt', null)).toMatchObject([{ content: { text: 'Hi' } }]);
});

it('changes a record only if it has the expected revision', async () => {
  const { namedRecords } = store;
  const key = keyOf('a');
  expect(await namedRecords.put(key, { n: 0 }, 1)).toBeUndefined();
  expect(await namedRecords.put(key, { n: 1 }, 0)).toMatchObject({ revision: 1 });
  expect(await namedRecords.put(key, { n: 2 }, 0)).toBeUndefined();
  expect(await namedRecords.put(key, { n: 3 }, 1)).toMatchObject({ revision: 2 });
  expect(await namedRecords.put(key, { n: 4 }, 1)).toBeUndefined();
  expect(await namedRecords.put(key, { n: 5 })).toMatchObject({ revision: 3 });
  expect(await namedRecords.find(key)).toMatchObject({ content: { n: 5 }, revision: 3 });
  expect(await namedRecords.delete(key, 2)).toBe(false);
  expect(await namedRecords.delete(key, 3)).toBe(true);
  expect(await namedRecords.delete(key)).toBe(false);
});

it('keeps one of two changes of the same revision', async () => {
  await store.namedRecords.put(keyOf('a'), {});
  const changes = ['one', 'two'].map((tab) => store.namedRecords.put(keyOf('a'), { tab }, 1));
  const stored = (await Promise.all(changes)).filter((each) => each !== undefined);
  expect(stored).toHaveLength(1);
  expect(await store.namedRecords.find(keyOf('a'))).toEqual(stored[0]);
});

it('moves and deletes the records of an owner', async () => {
  for (const name of ['a', 'b']) await store.namedRecords.put(keyOf(name), { from: null });
  await store.namedRecords.put(keyOf('a', 'tok_a'), { from: 'tok_a' });
  await store.owners.move(null, 'tok_a');
  expect(await namesOf('tok_a')).toEqual(['a', 'b']);
  expect(await namesOf(null)).toEqual(['a']);
  expect(await store.namedRecords.find(keyOf('a', 'tok_a'))).toMatchObject({
    content: { from: 'tok_a' },
  });
  await store.owners.delete('tok_a');
  expect(await namesOf('tok_a')).toEqual([]);
  expect(await namesOf(null)).toEqual(['a']);
});
