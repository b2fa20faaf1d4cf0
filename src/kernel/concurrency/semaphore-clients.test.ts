import { expect, it } from 'vitest';
import { Semaphore } from './semaphore.ts';

const { signal } = new AbortController();
const full = () => new Error('full');
const settle = () => new Promise(setImmediate);

/** Starts tasks of clients that run until they are ended. */
function open(permits: number, maxWaiting: number) {
  const semaphore = new Semaphore(permits, { maxWaiting, toFullError: full });
  const started: string[] = [];
  const ends: (() => void)[] = [];
  const failures = new Map<string, unknown>();
  const start = (clientKey: string, name: string, of = signal) => {
    const task = () => {
      started.push(name);
      return new Promise<void>((resolve) => ends.push(resolve));
    };
    semaphore.run(task, of, clientKey).catch((error: unknown) => failures.set(name, error));
  };
  const endFirst = async () => {
    await settle();
    ends.shift()?.();
    await settle();
  };
  return { start, started, failures, endFirst };
}

it('runs as many tasks as it has permits, and lets clients take turns', async () => {
  const { start, started, endFirst } = open(2, 10);
  for (const name of ['a1', 'a2', 'a3', 'a4']) start('a', name);
  for (const name of ['b1', 'b2']) start('b', name);
  await endFirst();
  expect(started).toEqual(['a1', 'a2', 'a3']);
  for (let ended = 0; ended < 3; ended += 1) await endFirst();
  expect(started).toEqual(['a1', 'a2', 'a3', 'b1', 'a4', 'b2']);
  await endFirst();
  await endFirst();
  start('c', 'c1');
  start('c', 'c2');
  await settle();
  expect(started.slice(-2)).toEqual(['c1', 'c2']);
});

it('refuses the client with the most tasks, when too many wait', async () => {
  const { start, started, failures, endFirst } = open(1, 3);
  for (const name of ['a1', 'a2', 'a3', 'a4', 'a5']) start('a', name);
  start('b', 'b1');
  await settle();
  expect([...failures]).toEqual([
    ['a5', full()],
    ['a4', full()],
  ]);
  for (let ended = 0; ended < 3; ended += 1) await endFirst();
  expect(started).toEqual(['a1', 'a2', 'b1', 'a3']);
});

it('forgets a task whose client left', async () => {
  const { start, started, failures, endFirst } = open(1, 1);
  const client = new AbortController();
  start('a', 'a1');
  start('b', 'b1', client.signal);
  client.abort(new Error('left'));
  start('b', 'b2', client.signal);
  start('c', 'c1');
  await endFirst();
  expect(failures.get('b1')).toEqual(new Error('left'));
  expect(failures.get('b2')).toEqual(new Error('left'));
  expect(started).toEqual(['a1', 'c1']);
});
