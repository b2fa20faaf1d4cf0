import { beforeEach, expect, it } from 'vitest';
import { temporaryStore } from '../../../test/setup/store/temporary-store.ts';
import type { Store } from '../store.ts';

let store: Store;
beforeEach(async () => {
  store = await temporaryStore();
});

let time = 1_800_000_000_000;
const later = (): Date => new Date((time += 1000));

async function make(id: string, ownerId: string | null = 'tok_a', days: number | null = null) {
  await store.vectorStores.insert({
    id,
    ownerId,
    name: id,
    metadata: { kind: 'test' },
    embeddingModel: 'a/b',
    expiresAfterDays: days,
    createdAt: later(),
  });
}

async function add(vectorStoreId: string, fileId: string, batchId = 'vsfb_1') {
  const createdAt = later();
  const chunking = { maxTokens: 100, overlapTokens: 10 };
  const attributes = { year: 2026 };
  await store.vectorStores.addFiles([
    { vectorStoreId, fileId, batchId, attributes, chunking, createdAt },
  ]);
}

const fileOf = (vectorStoreId: string, fileId: string, batchId = 'vsfb_1') => ({
  vectorStoreId,
  fileId,
  batchId,
});

const addBlock = (vectorStoreId: string, fileId: string, position: number) =>
  store.vectorStores.addBlock(fileOf(vectorStoreId, fileId), {
    position,
    bytes: Buffer.from(Float32Array.of(position, 1).buffer),
    texts: [`text ${position} of ${fileId}`],
  });

async function blocksOf(id: string) {
  const found: string[] = [];
  for await (const group of store.vectorStores.readBlocks(id)) {
    found.push(...group.map(({ fileId, position }) => `${fileId} ${position}`));
  }
  return found;
}

it('keeps the blocks of files until they are removed', async () => {
  await make('vs_1');
  await make('vs_2');
  await add('vs_1', 'file-a');
  await add('vs_1', 'file-b');
  await add('vs_2', 'file-a');
  const positions = Array.from({ length: 20 }, (_, position) => position);
  for (const position of positions) {
    expect(await addBlock('vs_1', 'file-a', position)).toBe(true);
  }
  await addBlock('vs_1', 'file-b', 0);
  await addBlock('vs_2', 'file-a', 0);
  expect(await blocksOf('vs_1')).toEqual([
    ...positions.map((each) => `file-a ${each}`),
    'file-b 0',
  ]);
  expect(await store.vectorStores.countBlocks('vs_1')).toBe(21);
  expect(await store.vectorStores.blockPositions('vs_1', 'file-a')).toEqual(new Set(positions));
  const texts = await store.vectorStores.readTexts('vs_1', { fileId: 'file-a', position: 7 });
  expect(texts).toEqual(['text 7 of file-a']);
  for await (const [first] of store.vectorStores.readBlocks('vs_2', true)) {
    expect(first?.texts).toEqual(['text 0 of file-a']);
  }
  await store.vectorStores.finishFile(fileOf('vs_1', 'file-a'), null);
  expect(await store.vectorStores.find('vs_1', 'tok_a')).toMatchObject({
    counts: { in_progress: 1, completed: 1, failed: 0, cancelled: 0 },
    sizeBytes: 21 * (8 + '["text 0 of file-a"]'.length) + 10,
  });
  await store.vectorStores.removeFile('vs_1', 'file-a');
  expect(await blocksOf('vs_1')).toEqual(['file-b 0']);
  expect(await addBlock('vs_1', 'file-a', 20)).toBe(false);
  await store.vectorStores.delete('vs_1');
  expect(await store.vectorStores.find('vs_1', 'tok_a')).toBeUndefined();
  expect(await blocksOf('vs_1')).toEqual([]);
  expect(await blocksOf('vs_2')).toEqual(['file-a 0']);
});

it('has vector stores of each owner alone, in pages', async () => {
  for (const id of ['vs_1', 'vs_2', 'vs_3']) await make(id);
  await make('vs_4', null);
  const own = { ownerId: 'tok_a', limit: 2, order: 'desc' } as const;
  const first = await store.vectorStores.page(own);
  expect([first.items.map(({ id }) => id), first.hasMore]).toEqual([['vs_3', 'vs_2'], true]);
  const second = await store.vectorStores.page({ ...own, after: 'vs_2' });
  expect([second.items.map(({ id }) => id), second.hasMore]).toEqual([['vs_1'], false]);
  await expect(store.vectorStores.page({ ...own, after: 'vs_4' })).rejects.toThrow('vs_4');
  expect(await store.vectorStores.find('vs_1', null)).toBeUndefined();
  expect(await store.vectorStores.count(null)).toBe(1);
  await store.vectorStores.update('vs_1', { name: 'New', metadata: {}, expiresAfterDays: 3 });
  expect(await store.vectorStores.find('vs_1', 'tok_a')).toMatchObject({
    name: 'New',
    metadata: {},
    expiresAfterDays: 3,
  });
});

it('shows the oldest file of each owner first to the indexer', async () => {
  await make('vs_1', 'tok_a');
  await make('vs_2', 'tok_b');
  await add('vs_1', 'file-a');
  await add('vs_1', 'file-b');
  await add('vs_1', 'file-c', 'vsfb_2');
  await add('vs_2', 'file-d');
  const pending = async () =>
    (await store.vectorStores.pendingFiles(10)).map((file) => file.fileId);
  expect(await pending()).toEqual(['file-a', 'file-d', 'file-b', 'file-c']);
  await store.vectorStores.cancelBatch('vs_1', 'vsfb_2');
  const failure = { code: 'invalid_file', message: 'It is empty.' } as const;
  await store.vectorStores.finishFile(fileOf('vs_1', 'file-a'), failure);
  await store.vectorStores.finishFile(fileOf('vs_1', 'file-c', 'vsfb_2'), null);
  expect(await pending()).toEqual(['file-b', 'file-d']);
  const files = await store.vectorStores.files({ vectorStoreId: 'vs_1' });
  expect(files.map(({ status, error }) => [status, error])).toEqual([
    ['failed', failure],
    ['in_progress', null],
    ['cancelled', null],
  ]);
  // Once more, with other passages.
  await addBlock('vs_1', 'file-b', 0);
  await add('vs_1', 'file-b', 'vsfb_3');
  expect(await addBlock('vs_1', 'file-b', 1)).toBe(false);
  await store.vectorStores.finishFile(fileOf('vs_1', 'file-b'), null);
  expect(await blocksOf('vs_1')).toEqual([]);
  expect(await pending()).toEqual(['file-d', 'file-b']);
  expect(await store.vectorStores.files({ vectorStoreId: 'vs_1', batchId: 'vsfb_3' })).toHaveLength(
    1,
  );
});

it('keeps the length of the first vector', async () => {
  await make('vs_1');
  expect(await store.vectorStores.setDimensions('vs_1', 3)).toBe(3);
  expect(await store.vectorStores.setDimensions('vs_1', 4)).toBe(3);
  expect(await store.vectorStores.setDimensions('vs_9', 4)).toBeUndefined();
});

it('removes the files of vector stores that expired', async () => {
  await make('vs_1', null, 1);
  await make('vs_2', null);
  await add('vs_1', 'file-a');
  await add('vs_2', 'file-a');
  await addBlock('vs_1', 'file-a', 0);
  const dayMs = 24 * 3600 * 1000;
  await store.vectorStores.emptyExpired(new Date(time));
  expect(await blocksOf('vs_1')).toHaveLength(1);
  await store.vectorStores.emptyExpired(new Date(time + 2 * dayMs));
  expect(await blocksOf('vs_1')).toEqual([]);
  expect(await store.vectorStores.files({ vectorStoreId: 'vs_1' })).toEqual([]);
  expect(await store.vectorStores.files({ vectorStoreId: 'vs_2' })).toHaveLength(1);
});

it('loses a file that is deleted, and changes the owner with the rest', async () => {
  const file = { id: 'file-a', ownerId: 'tok_a', purpose: 'batch', name: 'a.md' } as const;
  async function* bytes() {
    yield Buffer.from('text');
  }
  await store.files.write({ ...file, createdAt: later() }, bytes(), 'me');
  await store.files.publish('file-a', 'assistants');
  expect(await store.files.olderThan(new Date(time + 1))).toEqual([]);
  await make('vs_1');
  await add('vs_1', 'file-a');
  expect(await store.vectorStores.findFile('vs_1', 'file-a')).toMatchObject({ filename: 'a.md' });
  await store.owners.move('tok_a', 'tok_b');
  expect(await store.vectorStores.find('vs_1', 'tok_b')).toBeDefined();
  expect(await store.files.find('file-a', 'tok_b')).toBeDefined();
  await store.files.delete('file-a', 'me');
  expect(await store.vectorStores.findFile('vs_1', 'file-a')).toBeUndefined();
  await store.files.write({ ...file, ownerId: 'tok_b', createdAt: later() }, bytes(), 'me');
  await store.files.publish('file-a', 'user_data');
  await store.owners.delete('tok_b');
  expect(await store.vectorStores.find('vs_1', 'tok_b')).toBeUndefined();
  expect(await store.files.find('file-a', 'tok_b')).toBeUndefined();
});
