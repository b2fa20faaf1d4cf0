import { expect, it, vi } from 'vitest';
import { deferred } from '../../../test/setup/deferred.ts';
import { createSingleFlight } from './single-flight.ts';

it('runs one task for each key, and shares its result and events', async () => {
  const flights = createSingleFlight<string, number>();
  const gate = deferred<string>();
  const work = vi.fn<(report: (event: number) => void) => Promise<string>>((report) => {
    void gate.promise.then(() => report(1));
    return gate.promise;
  });
  const [one, two]: [number[], number[]] = [[], []];
  const first = flights.join('a', work, { onEvent: (event) => one.push(event) });
  const second = flights.join('a', work, { onEvent: (event) => two.push(event) });
  const other = flights.join('b', async () => 'other', {});
  gate.resolve('shared');
  expect(await Promise.all([first, second, other])).toEqual(['shared', 'shared', 'other']);
  expect([one, two]).toEqual([[1], [1]]);
  expect(work).toHaveBeenCalledOnce();
  expect(await flights.join('a', async () => 'again', {})).toBe('again');
});

it('shares a failure, and starts again after it', async () => {
  const flights = createSingleFlight<string, never>();
  const fail = () => Promise.reject(new Error('no'));
  const both = [flights.join('a', fail, {}), flights.join('a', async () => 'unused', {})];
  for (const each of both) await expect(each).rejects.toThrow('no');
  expect(await flights.join('a', async () => 'again', {})).toBe('again');
});

it('lets one participant leave while the others wait', async () => {
  const flights = createSingleFlight<string, number>();
  const gate = deferred<string>();
  let report: (event: number) => void = () => {};
  let inner: AbortSignal | undefined;
  const leaving = new AbortController();
  const events: number[] = [];
  const first = flights.join(
    'a',
    (tell, signal) => {
      report = tell;
      inner = signal;
      return gate.promise;
    },
    { signal: leaving.signal, onEvent: (event) => events.push(event) },
  );
  const second = flights.join('a', async () => 'unused', { signal: new AbortController().signal });
  leaving.abort(new Error('gone'));
  await expect(first).rejects.toThrow('gone');
  report(1);
  expect(events).toEqual([]);
  expect(inner?.aborted).toBe(false);
  gate.resolve('done');
  expect(await second).toBe('done');
});

it('aborts the task when the last participant leaves, and waits until it has ended', async () => {
  const flights = createSingleFlight<string, never>();
  const cleanedUp = deferred<void>();
  const leaving = new AbortController();
  const order: string[] = [];
  const joined = flights
    .join(
      'a',
      async (_, signal) => {
        await new Promise((resolve) => {
          signal.addEventListener('abort', resolve);
        });
        await cleanedUp.promise;
        order.push('ended');
        throw signal.reason;
      },
      { signal: leaving.signal },
    )
    .catch((error: unknown) => {
      order.push('left');
      return error;
    });
  const reason = new Error('gone');
  leaving.abort(reason);
  // New calls do not join a task that is ending.
  await new Promise((resolve) => {
    setImmediate(resolve);
  });
  expect(await flights.join('a', async () => 'next', {})).toBe('next');
  cleanedUp.resolve();
  expect(await joined).toBe(reason);
  expect(order).toEqual(['ended', 'left']);
});

it('starts no task for an aborted signal', async () => {
  const work = vi.fn<() => Promise<string>>(async () => 'no');
  const joined = createSingleFlight().join('a', work, { signal: AbortSignal.abort('gone') });
  await expect(joined).rejects.toBe('gone');
  expect(work).not.toHaveBeenCalled();
});
