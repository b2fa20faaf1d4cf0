import { expect, it } from 'vitest';
import { deferred } from '../../../test/setup/deferred.ts';
import { mapConcurrently } from './map-concurrently.ts';

it('returns the results in the order of the items, with a limited number of calls at once', async () => {
  let running = 0;
  let most = 0;
  const results = await mapConcurrently([5, 1, 4, 2, 3], 2, async (item) => {
    running += 1;
    most = Math.max(most, running);
    for (let turn = 0; turn < item; turn += 1) await Promise.resolve();
    running -= 1;
    return item * 10;
  });
  expect(results).toEqual([50, 10, 40, 20, 30]);
  expect(most).toBe(2);
  expect(await mapConcurrently([], 2, async () => 1)).toEqual([]);
});

it('starts no further call after a failure', async () => {
  const started: number[] = [];
  const slow = deferred<void>();
  const mapping = mapConcurrently([1, 2, 3, 4], 2, async (item) => {
    started.push(item);
    if (item === 1) throw new Error('no');
    await slow.promise;
  });
  await expect(mapping).rejects.toThrow('no');
  slow.resolve();
  await new Promise((resolve) => {
    setImmediate(resolve);
  });
  expect(started).toEqual([1, 2]);
});
