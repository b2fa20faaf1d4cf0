import { beforeEach, expect, it } from 'vitest';
import { temporaryStore } from '../../../test/setup/store/temporary-store.ts';
import type { Store } from '../store.ts';

let store: Store;
beforeEach(async () => {
  store = await temporaryStore();
});

/** More than two pieces of the database. */
const content = Buffer.from(Array.from({ length: 600_000 }, (_, index) => index % 251));

async function write(id: string, ownerId: string | null = null, bytes: Buffer = content) {
  const createdAt = new Date(1_800_000_000_000 + Number(id.slice(-1)));
  const file = { id, ownerId, purpose: 'batch', name: 'a.jsonl', createdAt } as const;
  return store.files.write(file, pieces(bytes), 'me');
}

async function* pieces(bytes: Buffer): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += 70_000) {
    yield bytes.subarray(start, start + 70_000);
  }
}

async function read(...parameters: Parameters<Store['files']['read']>): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const part of store.files.read(...parameters)) parts.push(part);
  return Buffer.concat(parts);
}

it('is found by its owner once it is published, and read whole or in part', async () => {
  const written = await write('file-1', 'tok_a');
  expect(written.sizeBytes).toBe(content.length);
  expect(await store.files.find('file-1', 'tok_a')).toBeUndefined();
  await store.files.publish('file-1');
  expect(await store.files.find('file-1', 'tok_a')).toEqual(written);
  expect(await store.files.find('file-1', 'tok_b')).toBeUndefined();
  expect(await store.files.find('file-1', null)).toBeUndefined();
  expect((await read('file-1')).equals(content)).toBe(true);
  for (const [start, length] of [
    [0, 10],
    [262_140, 10],
    [262_144, 262_144],
    [599_999, 100],
    [100, 590_000],
  ] as const) {
    expect(
      (await read('file-1', start, length)).equals(content.subarray(start, start + length)),
    ).toBe(true);
  }
  expect(await store.files.totalBytes()).toBe(content.length);
  // It has a limit of its own.
  expect((await store.size()).usedBytes).toBeLessThan(content.length);
  await store.files.delete('file-1', 'me');
  expect(await store.files.find('file-1', 'tok_a')).toBeUndefined();
  expect((await read('file-1')).length).toBe(0);
  expect(await store.files.totalBytes()).toBe(0);
});

it('leaves nothing of a file that breaks off, or whose process was killed', async () => {
  async function* broken(): AsyncGenerator<Uint8Array> {
    yield content;
    throw new Error('gone');
  }
  const file = { id: 'file-1', ownerId: null, purpose: 'batch', name: 'x' } as const;
  await expect(
    store.files.write({ ...file, createdAt: new Date() }, broken(), 'me'),
  ).rejects.toThrow('gone');
  expect((await read('file-1')).length).toBe(0);
  await write('file-2');
  await store.files.removeUnpublished('other');
  expect((await read('file-2')).length).toBe(content.length);
  await store.files.removeUnpublished('me');
  expect((await read('file-2')).length).toBe(0);
});

it('leaves nothing of a file whose owner was deleted by a process that was killed', async () => {
  const file = { id: 'file-1', ownerId: null, purpose: 'batch', name: 'x' } as const;
  await store.files.write({ ...file, createdAt: new Date() }, pieces(content), '');
  await store.files.removeUnpublished('me');
  expect((await read('file-1')).length).toBe(0);
});

it('is listed in pages of its owner', async () => {
  const small = Buffer.from('x');
  for (const id of ['file-1', 'file-2', 'file-3']) {
    await write(id, null, small);
    await store.files.publish(id);
  }
  await write('file-4', 'tok_a', small);
  await store.files.publish('file-4');
  const page = async (order: 'asc' | 'desc', after?: string) => {
    const { items, hasMore } = await store.files.page({ ownerId: null, limit: 2, order, after });
    return [items.map(({ id }) => id), hasMore];
  };
  expect(await page('asc')).toEqual([['file-1', 'file-2'], true]);
  expect(await page('asc', 'file-2')).toEqual([['file-3'], false]);
  expect(await page('desc')).toEqual([['file-3', 'file-2'], true]);
  await expect(page('asc', 'file-4')).rejects.toMatchObject({ param: 'after' });
  const outputs = { ownerId: null, limit: 2, order: 'asc', purpose: 'batch_output' } as const;
  expect((await store.files.page(outputs)).items).toEqual([]);
});

it('takes the room that it will need from the beginning, and gives the rest back', async () => {
  await write('file-1', null, Buffer.from('x'.repeat(10)));
  const file = { id: 'file-2', ownerId: null, purpose: 'batch', name: 'x' } as const;
  const totals: number[] = [];
  const reserve = (sizeBytes: number, isRefused = false) =>
    store.files.write({ ...file, createdAt: new Date() }, pieces(Buffer.from('12345')), 'me', {
      sizeBytes,
      assertRoom: (total) => {
        totals.push(total);
        if (isRefused) throw new Error('full');
      },
    });
  await expect(reserve(100, true)).rejects.toThrow('full');
  expect(await store.files.totalBytes()).toBe(10);
  expect((await reserve(100)).sizeBytes).toBe(5);
  expect(totals).toEqual([110, 110]);
  expect(await store.files.totalBytes()).toBe(15);
});

it('is listed with those from before a time', async () => {
  await write('file-1', 'tok_a', Buffer.from('x'));
  await write('file-2', null, Buffer.from('x'));
  expect(await store.files.olderThan(new Date(1_800_000_000_002))).toEqual(['file-1']);
});

it('is listed with those of the same purpose', async () => {
  const small = Buffer.from('x');
  await write('file-1', null, small);
  const createdAt = new Date(1_800_000_000_000);
  const output = { id: 'file-2', ownerId: null, purpose: 'batch_output', name: 'o' } as const;
  await store.files.write({ ...output, createdAt }, pieces(small), 'me');
  for (const id of ['file-1', 'file-2']) await store.files.publish(id);
  const page = { ownerId: null, limit: 2, order: 'asc', purpose: 'batch_output' } as const;
  const { items } = await store.files.page(page);
  expect(items).toEqual([{ ...output, createdAt, sizeBytes: 1 }]);
});
