import { expect, it } from 'vitest';
import { temporaryStore } from '../../test/setup/store/temporary-store.ts';
import { deferred } from '../../test/setup/deferred.ts';
import { createLogger } from '../observability/logger.ts';
import { Batches } from './batches.ts';

async function setUp() {
  const store = await temporaryStore();
  const batches = new Batches({
    store,
    holder: 'home',
    concurrency: 1,
    maxRequests: 100,
    maxLineBytes: 1000,
    parseJson: (bytes) => JSON.parse(bytes.toString()) as unknown,
    logger: createLogger('silent'),
    maxFileBytes: 100,
    maxStorageBytes: 250,
    maxActive: 1,
    retentionDays: 1,
  });
  return { store, batches };
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
  await expect.poll(() => store.files.totalBytes()).toBeLessThanOrEqual(200);
  end.resolve();
  const ended = await Promise.all(outcomes);
  expect(ended).toContain('storage_full');
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
  await batches.publishFile(file);
  const create = () => batches.create(null, file.id, '/v1/embeddings', null);
  const outcomes = await Promise.allSettled([create(), create(), create()]);
  const refusal = { status: 'rejected', reason: { code: 'queue_full' } };
  expect(outcomes).toMatchObject([{ status: 'fulfilled' }, refusal, refusal]);
  expect(await store.batches.activeIds()).toHaveLength(1);
});
