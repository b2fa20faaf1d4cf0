import { expect, it } from 'vitest';
import { temporaryStore } from '../../../test/setup/store/temporary-store.ts';
import { deferred } from '../../../test/setup/deferred.ts';
import { createLogger } from '../../telemetry/logger.ts';
import { Batches, type BatchesOptions } from './batches.ts';

async function setUp() {
  const store = await temporaryStore();
  return { store, batches: openBatches(store) };
}

function openBatches(
  store: BatchesOptions['store'],
  limits: Partial<BatchesOptions> = {},
): Batches {
  return new Batches({
    store,
    holder: 'home',
    concurrency: 1,
    maxRequests: 100,
    maxLineBytes: 1000,
    parseJson: async (pieces) => JSON.parse(Buffer.concat(pieces).toString()) as unknown,
    logger: createLogger('silent'),
    maxFileBytes: 100,
    maxStorageBytes: 250,
    maxActive: 1,
    retentionDays: 1,
    ...limits,
  });
}

async function* bytesOf(size: number, wait?: Promise<void>): AsyncGenerator<Uint8Array> {
  yield Buffer.alloc(size);
  await wait;
}

it('gives several uploads at once no more room than the limit', async () => {
  const { store, batches } = await setUp();
  const end = deferred<void>();
  const upload = (declaredBytes?: number) =>
    batches.writeFile({ name: 'x', ownerId: null, bytes: bytesOf(40, end.promise), declaredBytes });
  const uploads = [upload(), upload(120), upload(90)];
  const outcomes = uploads.map((each) =>
    each.then(
      () => 'written',
      (error: { code?: string }) => error.code,
    ),
  );
  expect(await Promise.any(outcomes)).toBe('storage_full');
  expect(await store.files.totalBytes()).toBeLessThanOrEqual(250);
  end.resolve();
  const ended = await Promise.all(outcomes);
  expect(await store.files.totalBytes()).toBe(
    40 * ended.filter((each) => each === 'written').length,
  );
});

it('reserves the room of an upload until its size is known', async () => {
  const { store, batches } = await setUp();
  const end = deferred<void>();
  const bytes = bytesOf(40, end.promise);
  const writing = batches.writeFile({ name: 'x', ownerId: null, bytes, declaredBytes: undefined });
  await expect.poll(() => store.files.totalBytes()).toBe(100);
  end.resolve();
  const file = await writing;
  expect([file.sizeBytes, await store.files.totalBytes()]).toEqual([40, 40]);
  await batches.discardFile(file);
  expect(await store.files.totalBytes()).toBe(0);
});

it('creates no more batches at once than the limit', async () => {
  const { store, batches } = await setUp();
  const bytes = bytesOf(10);
  const file = await batches.writeFile({ name: 'x', ownerId: null, bytes, declaredBytes: 10 });
  await batches.publishFile(file, 'batch');
  const create = () => batches.create(null, file.id, '/v1/embeddings', null);
  const outcomes = await Promise.allSettled([create(), create(), create()]);
  const refusal = { status: 'rejected', reason: { code: 'queue_full' } };
  expect(outcomes).toMatchObject([{ status: 'fulfilled' }, refusal, refusal]);
  expect(await store.batches.activeIds()).toHaveLength(1);
});

it('refuses an upload that would leave too little of the disk', async () => {
  const { store } = await setUp();
  const mebibyte = 1024 * 1024;
  const small = { ...store, freeDiskBytes: async () => 65 * mebibyte };
  const batches = openBatches(small, { maxFileBytes: 4 * mebibyte, maxStorageBytes: 1e9 });
  const upload = (declaredBytes: number) =>
    batches.writeFile({ name: 'x', ownerId: null, bytes: bytesOf(40), declaredBytes });
  await expect(upload(2 * mebibyte)).rejects.toMatchObject({ code: 'storage_full' });
  expect(await store.files.totalBytes()).toBe(0);
  // Uploads that run at the same time count, too.
  const [one, other] = await Promise.allSettled([upload(mebibyte), upload(mebibyte)]);
  expect([one.status, other.status].toSorted()).toEqual(['fulfilled', 'rejected']);
});
