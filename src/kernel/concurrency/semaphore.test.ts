import { describe, expect, it } from 'vitest';
import { deferred } from '../../../test/setup/deferred.ts';
import { Mutex, Semaphore } from './semaphore.ts';

const { signal } = new AbortController();

describe('Semaphore', () => {
  it('runs as many tasks as it has permits, and the others in order of arrival', async () => {
    const semaphore = new Semaphore(2);
    const gates = [deferred<void>(), deferred<void>(), deferred<void>(), deferred<void>()];
    const started: number[] = [];
    const runs = gates.map((gate, index) =>
      semaphore.run(async () => {
        started.push(index);
        await gate.promise;
      }, signal),
    );
    await Promise.resolve();
    expect(started).toEqual([0, 1]);
    gates[1]?.resolve();
    await runs[1];
    expect(started).toEqual([0, 1, 2]);
    gates[0]?.resolve();
    await runs[0];
    expect(started).toEqual([0, 1, 2, 3]);
    for (const gate of gates) gate.resolve();
    await Promise.all(runs);
  });

  it('releases the permit after a failure', async () => {
    const semaphore = new Semaphore(1);
    await expect(semaphore.run(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await semaphore.run(async () => 'in')).toBe('in');
  });

  it('throws for an aborted signal, without running the task', async () => {
    const semaphore = new Semaphore(1);
    const reason = new Error('gone');
    let hasRun = false;
    const run = semaphore.run(async () => (hasRun = true), AbortSignal.abort(reason));
    await expect(run).rejects.toBe(reason);
    expect(hasRun).toBe(false);
    expect(await semaphore.run(async () => 'in')).toBe('in');
  });

  it('removes an aborted task from the queue and runs the next one', async () => {
    const semaphore = new Semaphore(1);
    const gate = deferred<void>();
    const running = semaphore.run(() => gate.promise, signal);
    const controller = new AbortController();
    const waiting = semaphore.run(async () => 'in', controller.signal);
    const next = semaphore.run(async () => 'in', signal);
    controller.abort(new Error('gone'));
    await expect(waiting).rejects.toThrow('gone');
    gate.resolve();
    await running;
    expect(await next).toBe('in');
  });

  it('waits until a running task has ended, even if its signal aborts', async () => {
    const semaphore = new Semaphore(1);
    const gate = deferred<string>();
    const controller = new AbortController();
    const running = semaphore.run(() => gate.promise, controller.signal);
    await Promise.resolve();
    controller.abort();
    gate.resolve('done');
    expect(await running).toBe('done');
  });
});

describe('Mutex', () => {
  it('runs one task at a time', async () => {
    const mutex = new Mutex();
    let running = 0;
    let most = 0;
    const order: number[] = [];
    await Promise.all(
      [0, 1, 2, 3].map((index) =>
        mutex.run(async () => {
          running += 1;
          most = Math.max(most, running);
          await Promise.resolve();
          order.push(index);
          running -= 1;
        }),
      ),
    );
    expect(most).toBe(1);
    expect(order).toEqual([0, 1, 2, 3]);
  });
});
