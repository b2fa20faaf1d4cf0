import { getEventListeners } from 'node:events';
import { expect, it } from 'vitest';
import { deferred } from '../../../test/setup/deferred.ts';
import { runTaskGroup } from './task-group.ts';

const untilAborted = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason));
  });

it('returns the results in the order of the tasks', async () => {
  const { signal } = new AbortController();
  const first = deferred<number>();
  const results = runTaskGroup(signal, [
    () => first.promise,
    async () => {
      first.resolve(1);
      return 2;
    },
  ]);
  expect(await results).toEqual([1, 2]);
  expect(await runTaskGroup(signal, [])).toEqual([]);
  expect(getEventListeners(signal, 'abort')).toHaveLength(0);
});

it('aborts the others at the first failure, and waits until they have ended', async () => {
  const ended: string[] = [];
  const slow = deferred<void>();
  const running = runTaskGroup(new AbortController().signal, [
    () => Promise.reject(new Error('first')),
    async (signal) => {
      await untilAborted(signal).catch(() => {});
      await slow.promise;
      ended.push('slow');
      throw new Error('second');
    },
  ]);
  const outcome = running.catch((error: unknown) => {
    ended.push('group');
    return error;
  });
  await Promise.resolve();
  slow.resolve();
  expect(await outcome).toMatchObject({ message: 'first' });
  expect(ended).toEqual(['slow', 'group']);
});

it('handles a task that throws synchronously', async () => {
  const running = runTaskGroup(new AbortController().signal, [
    () => {
      throw new Error('at once');
    },
    untilAborted,
  ]);
  await expect(running).rejects.toThrow('at once');
});

it('aborts all tasks with the outer signal', async () => {
  const outer = new AbortController();
  const running = runTaskGroup(outer.signal, [untilAborted, untilAborted]);
  const reason = new Error('gone');
  outer.abort(reason);
  await expect(running).rejects.toBe(reason);
});
