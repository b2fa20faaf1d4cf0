import { createHash } from 'node:crypto';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  startFakeBucket,
  type FakeBucket,
} from '../../../test/setup/object-storage/fake-bucket.ts';
import { conversationTurn } from '../../../test/setup/store/conversation-turn.ts';
import { testDatabase, type TestDatabase } from '../../../test/setup/store/test-database.ts';
import { HearthError } from '../../kernel/errors/errors.ts';
import { createLogger } from '../../telemetry/logger.ts';
import type { NewBlob, Store, StoredResponse } from '../store.ts';
import { openObjectStorage } from './open-object-storage.ts';

const { signal } = new AbortController();
const imageOf = (text: string): NewBlob => {
  const bytes = Buffer.from(text);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  return { sha256, mediaType: 'image/png', bytes };
};
const [red, blue] = [imageOf('red'), imageOf('blue')];
const idOf = (digit: string) => `resp_${digit.repeat(48)}`;
const responseWith = (digit: string, { sha256 }: NewBlob): StoredResponse => ({
  id: idOf(digit),
  parentId: null,
  ownerId: null,
  createdAt: new Date(0),
  modelKey: 'a/b',
  modelInstanceId: 'a/b',
  turn: conversationTurn({
    messages: [{ role: 'user', content: [{ type: 'image', sha256, mediaType: 'image/png' }] }],
  }),
});

let bucket: FakeBucket;
let database: TestDatabase;
let store: Store;
const discarded = () => database.query('select object_key from discarded_objects');

async function open(blobsUrl?: string): Promise<Store> {
  const objects = await openObjectStorage(blobsUrl, bucket.environment);
  const opened = await database.open(createLogger('silent'), { objects });
  onTestFinished(async () => {
    await opened.close();
    await objects?.close();
  });
  return opened;
}

beforeEach(async () => {
  bucket = await startFakeBucket();
  database = await testDatabase();
  store = await open(bucket.url);
});

describe('images in an object storage', () => {
  it('are uploaded once, and are not in the database', async () => {
    await store.responses.insert(responseWith('1', red), [red]);
    await store.responses.insert(responseWith('2', red), [red]);
    expect(bucket.requests.map(({ method }) => method)).toEqual(['PUT']);
    expect([...bucket.objects.values()]).toEqual([red.bytes]);
    const rows = await database.query('select bytes from blobs');
    expect(rows.map(({ bytes }) => (bytes as Uint8Array).length)).toEqual([0]);
    expect(await discarded()).toEqual([]);
    expect(await store.blobs.find(red.sha256)).toEqual(red);
    expect(await store.blobs.find(blue.sha256)).toBeUndefined();
  });

  it('are deleted after the last response that has them', async () => {
    await store.responses.insert(responseWith('1', red), [red]);
    await store.responses.insert(responseWith('2', red), []);
    await store.responses.delete(idOf('1'), null);
    expect(await store.deleteDiscardedObjects(signal)).toBe(0);
    await store.responses.delete(idOf('2'), null);
    // A new upload of the same image has a key of its own.
    await store.responses.insert(responseWith('3', red), [red]);
    expect(bucket.objects.size).toBe(2);
    expect(await store.deleteDiscardedObjects(signal)).toBe(1);
    expect(bucket.objects.size).toBe(1);
    expect(await store.blobs.find(red.sha256)).toEqual(red);
    expect(await discarded()).toEqual([]);
  });

  it('leave no object behind if their response is not stored', async () => {
    const child = { ...responseWith('1', red), parentId: idOf('9') };
    await expect(store.responses.insert(child, [red])).rejects.toThrow(/is not stored/);
    expect(bucket.objects.size).toBe(1);
    expect(await store.deleteDiscardedObjects(signal)).toBe(0);
    const inTwoHours = Date.now() + 2 * 3_600_000;
    vi.useFakeTimers({ toFake: ['Date'], now: inTwoHours });
    onTestFinished(() => void vi.useRealTimers());
    expect(await store.deleteDiscardedObjects(signal)).toBe(1);
    expect(bucket.objects.size).toBe(0);
  });

  it('fail the response if they can not be uploaded, which stores nothing', async () => {
    bucket.faults.push((response) => {
      response.writeHead(403).end('<Error><Message>Access Denied</Message></Error>');
    });
    const failure = store.responses.insert(responseWith('1', red), [red]);
    await expect(failure).rejects.toThrow(
      /storage of images is not available: 127.* answered 403: Access Denied\.$/,
    );
    await expect(failure).rejects.toMatchObject({ code: 'store_unavailable' });
    expect(await store.responses.find(idOf('1'), null)).toBeUndefined();
    expect(await database.query('select sha256 from blobs')).toEqual([]);
  });

  it('stay readable beside those of the database, which they do not move', async () => {
    const plain = await open();
    await plain.responses.insert(responseWith('1', blue), [blue]);
    await store.responses.insert(responseWith('2', red), [red]);
    await store.responses.insert(responseWith('3', blue), [blue]);
    expect(bucket.objects.size).toBe(1);
    const found = await store.blobs.find(blue.sha256);
    expect(Buffer.from(found?.bytes ?? [])).toEqual(blue.bytes);
    const missing = plain.blobs.find(red.sha256);
    await expect(missing).rejects.toThrow(HearthError);
    await expect(missing).rejects.toThrow(/set `store.blobsUrl`/);
  });

  it('are not answered with other bytes', async () => {
    await store.responses.insert(responseWith('1', red), [red]);
    const [key = ''] = bucket.objects.keys();
    bucket.objects.set(key, Buffer.from('green'));
    await expect(store.blobs.find(red.sha256)).rejects.toThrow(/has other bytes/);
    bucket.objects.delete(key);
    await expect(store.blobs.find(red.sha256)).rejects.toThrow(/is missing/);
  });
});
