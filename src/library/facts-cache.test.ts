import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it, vi } from 'vitest';
import { HearthError } from '../kernel/errors/errors.ts';
import { createFactsCache } from './facts-cache.ts';
import type { ScannedFile } from './scanned-file.ts';

const file = (fingerprint: string) => ({ path: '/a', fingerprint }) as ScannedFile;

it('reads a file once until it changes, also for calls at the same time', async () => {
  const read = vi.fn<(from: ScannedFile) => Promise<string>>(
    async ({ fingerprint }) => fingerprint,
  );
  const cache = createFactsCache(read);
  const readings = await Promise.all([cache.get(file('1')), cache.get(file('1'))]);
  expect(readings.map(({ facts }) => facts)).toEqual(['1', '1']);
  await cache.get(file('1'));
  cache.forgetUnused();
  await cache.get(file('1'));
  expect(read).toHaveBeenCalledTimes(1);
  expect((await cache.get(file('2'))).facts).toBe('2');
  cache.forgetUnused();
  cache.forgetUnused();
  await cache.get(file('2'));
  expect(read).toHaveBeenCalledTimes(3);
});

it('keeps the error of a file, and no other one', async () => {
  const errors = [new Error('aborted'), new HearthError('corrupt_file', 'damaged')];
  const read = vi.fn<() => Promise<string>>(async () => {
    throw errors[read.mock.calls.length - 1] ?? new Error('read again');
  });
  const cache = createFactsCache(read);
  await expect(cache.get(file('1'))).rejects.toThrow('aborted');
  expect((await cache.get(file('1'))).error?.message).toBe('damaged');
  expect((await cache.get(file('1'))).error?.message).toBe('damaged');
});

it('keeps nothing of a failed read but the error', async () => {
  class Reader {
    fail(): never {
      throw new HearthError('corrupt_file', 'damaged');
    }
  }
  const readers: WeakRef<Reader>[] = [];
  const cache = createFactsCache(async () => {
    const reader = new Reader();
    readers.push(new WeakRef(reader));
    return reader.fail();
  });
  const { error } = await cache.get(file('1'));
  setFlagsFromString('--expose-gc');
  const collectGarbage: () => void = runInNewContext('gc');
  await expect
    .poll(() => {
      collectGarbage();
      return readers.map((reader) => reader.deref() === undefined);
    })
    .toEqual([true]);
  expect(error?.stack).toContain('fail');
});
