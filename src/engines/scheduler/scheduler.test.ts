import { getEventListeners } from 'node:events';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { withIdlePriority, priorities, withPriority } from '../../kernel/concurrency/fair-queue.ts';
import { HearthError } from '../../kernel/errors/errors.ts';
import type { Place } from './place.ts';
import { Scheduler, type Waiting } from './scheduler.ts';

const never = new AbortController().signal;

/** A scheduler whose requests leave in the order in which they got their places. */
function openScheduler(slotCount: number, capacity: number, isOpen = true) {
  const scheduler = new Scheduler(slotCount, capacity);
  if (isOpen) scheduler.open();
  const held: Place[] = [];
  const hold = ({ place }: Waiting): Promise<Place> => {
    void place.then(
      (granted) => held.push(granted),
      () => {},
    );
    return place;
  };
  const enter = (clientKey: string, signal = never) => hold(scheduler.enter(clientKey, signal));
  const reenter = (clientKey: string, signal = never) => hold(scheduler.reenter(clientKey, signal));
  const release = (): void => held.shift()?.leave();
  return { scheduler, enter, reenter, release };
}

type Opened = ReturnType<typeof openScheduler>;

/** Runs all pending continuations. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('Scheduler', () => {
  it('assigns all places, then queues in order of arrival', async () => {
    const { scheduler, enter, release } = openScheduler(2, 10);
    await enter('a');
    await enter('a');
    const order: string[] = [];
    const third = enter('a').then(() => order.push('third'));
    const fourth = enter('a').then(() => order.push('fourth'));
    expect(scheduler.waitingCount).toBe(2);
    release();
    await third;
    expect(order).toEqual(['third']);
    release();
    await fourth;
    expect(order).toEqual(['third', 'fourth']);
    release();
    release();
    expect(scheduler.activeCount).toBe(0);
  });

  it('assigns no place until it is opened, and counts waiting requests against places and bound', async () => {
    const { scheduler, enter, release } = openScheduler(2, 1, false);
    const waiting = [enter('a'), enter('a'), enter('a')];
    expect(() => enter('a')).toThrow(/queue of this model is full/);
    expect(scheduler.activeCount).toBe(0);
    scheduler.open();
    await Promise.all(waiting.slice(0, 2));
    expect([scheduler.activeCount, scheduler.waitingCount]).toEqual([2, 1]);
    release();
    await waiting[2];
  });

  it('rejects at once if the queue is full', async () => {
    const { enter } = openScheduler(1, 1);
    await enter('a');
    void enter('a');
    expect(() => enter('a')).toThrow(
      expect.objectContaining({
        code: 'queue_full',
        retryAfterSeconds: 1,
        message:
          'The queue of this model is full: 1 requests run and 1 wait (at most 1). Try again soon.',
      }),
    );
  });

  it.each([
    ['has its place', ({ release }: Opened) => release()],
    ['has left', (_: Opened, caller: AbortController) => caller.abort(new Error('gone'))],
    [
      'was refused',
      ({ scheduler }: Opened) => scheduler.close(new HearthError('unloaded', 'Gone.')),
    ],
  ])('forgets the signal of a request that %s', async (_, end) => {
    const opened = openScheduler(1, 1);
    await opened.enter('a');
    const caller = new AbortController();
    const waiting = opened.enter('a', caller.signal).catch(() => {});
    expect(getEventListeners(caller.signal, 'abort')).toHaveLength(1);
    end(opened, caller);
    await waiting;
    expect(getEventListeners(caller.signal, 'abort')).toHaveLength(0);
  });

  it('forgets the signal of a request that gets its place at once', async () => {
    const { enter } = openScheduler(1, 1);
    const caller = new AbortController();
    await enter('a', caller.signal);
    expect(getEventListeners(caller.signal, 'abort')).toHaveLength(0);
  });

  it('removes a request that leaves, and serves the next', async () => {
    const { scheduler, enter, release } = openScheduler(1, 2);
    await enter('a');
    const client = new AbortController();
    const abandoned = enter('a', client.signal);
    const next = enter('a');
    client.abort(new Error('gone'));
    await expect(abandoned).rejects.toThrow('gone');
    expect(scheduler.waitingCount).toBe(1);
    release();
    await next;
    expect(scheduler.activeCount).toBe(1);
  });

  it('fails all waiting and later requests after close', async () => {
    const { scheduler, enter } = openScheduler(1, 2);
    await enter('a');
    const waiting = enter('a');
    scheduler.close(new HearthError('unloaded', 'It went.'));
    await expect(waiting).rejects.toMatchObject({ code: 'unloaded' });
    expect(() => enter('a')).toThrow('It went.');
  });

  it('frees a place once', async () => {
    const { scheduler, enter } = openScheduler(1, 2);
    const place = await enter('a');
    place.leave();
    await enter('a');
    place.leave();
    expect(scheduler.activeCount).toBe(1);
  });

  it('reports that a slot could not be taken, also after a wait', async () => {
    const { scheduler, enter } = openScheduler(1, 1);
    const place = await enter('a');
    let isFree = false;
    const prompt = {
      isLong: () => false,
      cellsToStart: () => (isFree ? 0 : undefined),
      isPausable: () => false,
      take: () => Promise.reject(new Error('It broke.')),
      pause: () => {},
    };
    const waiting = place.start(prompt, never);
    isFree = true;
    scheduler.advance();
    await expect(waiting).rejects.toThrow('It broke.');
    await expect(place.start(prompt, never)).rejects.toThrow('It broke.');
  });
});

describe('Scheduler.reenter', () => {
  it('goes ahead of requests that have not begun, even if the queue is full', async () => {
    const { scheduler, enter, reenter, release } = openScheduler(1, 2);
    await enter('a');
    const order: string[] = [];
    const waiting = ['new', 'newer'].map((name) => enter('a').then(() => order.push(name)));
    const back = reenter('b').then(() => order.push('back'));
    expect(() => enter('a')).toThrow(/queue of this model is full/);
    expect(scheduler.waitingCount).toBe(3);
    for (const next of [back, ...waiting]) {
      release();
      await next;
    }
    expect(order).toEqual(['back', 'new', 'newer']);
  });

  it('takes a free place at once, and cannot be displaced from the queue', async () => {
    const { scheduler, enter, reenter, release } = openScheduler(1, 1);
    await reenter('greedy');
    const back = [1, 2, 3].map(() => reenter('greedy'));
    const modest = enter('modest');
    for (const next of [...back, modest]) {
      release();
      await next;
    }
    expect([scheduler.activeCount, scheduler.waitingCount]).toEqual([1, 0]);
  });

  it('waits its turn without a maximum if it is not ahead', async () => {
    const { scheduler, enter, release } = openScheduler(1, 1);
    await enter('a');
    const order: string[] = [];
    const first = enter('a').then(() => order.push('first'));
    const turn = scheduler.reenter('a', never, { isAhead: false });
    const second = turn.place.then(() => order.push('second'));
    expect(turn.position).toBe(2);
    release();
    await first;
    release();
    await second;
    expect(order).toEqual(['first', 'second']);
  });

  it('ends with its signal and with the queue', async () => {
    const { scheduler, enter, reenter } = openScheduler(1, 1);
    await enter('a');
    const client = new AbortController();
    const abandoned = reenter('a', client.signal);
    const waiting = reenter('a');
    client.abort(new Error('gone'));
    await expect(abandoned).rejects.toThrow('gone');
    scheduler.close(new HearthError('unloaded', 'It went.'));
    await expect(waiting).rejects.toMatchObject({ code: 'unloaded' });
    expect(() => reenter('a')).toThrow('It went.');
  });
});

describe('Scheduler with several clients', () => {
  it('alternates between clients, independent of their number of requests', async () => {
    const opened = openScheduler(1, 1000);
    await opened.enter('greedy');
    const order: string[] = [];
    const enter = (clientKey: string): void =>
      void opened.enter(clientKey).then(() => order.push(clientKey));
    for (let count = 0; count < 100; count += 1) enter('greedy');
    enter('modest');
    enter('other');
    enter('modest');
    for (let count = 0; count < 8; count += 1) {
      opened.release();
      await settled();
    }
    expect(order.join(' ')).toBe('greedy modest other greedy modest greedy greedy greedy');
  });

  it('lets a client that is last in turn wait for all others, even after it had a place', async () => {
    const { enter, reenter, release } = openScheduler(1, 1000);
    const late = withIdlePriority('modest');
    await enter('greedy');
    const order: string[] = [];
    const note = (name: string) => () => order.push(name);
    void enter(late).then(note('late'));
    void reenter(late).then(note('late again'));
    void enter('greedy').then(note('greedy'));
    void enter('modest').then(note('modest'));
    for (let count = 0; count < 4; count += 1) {
      release();
      await settled();
    }
    expect(order).toEqual(['greedy', 'modest', 'late again', 'late']);
  });

  it('serves clients by their priority, and each of them in the end', async () => {
    const client = fc.record({
      name: fc.constantFrom('a', 'b'),
      priority: fc.constantFrom(...priorities),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(client, { minLength: 1, maxLength: 12 }),
        fc.integer({ min: 0, max: 40 }),
        async (waiting, urgentCount) => {
          const { scheduler, enter, release } = openScheduler(1, 1000);
          await enter('running');
          const order: string[] = [];
          for (const { name, priority } of waiting) {
            void enter(withPriority(name, priority)).then(() => order.push(priority));
          }
          // Whenever a request ends, another urgent request arrives.
          for (let turn = 0; turn < urgentCount; turn += 1) {
            void enter(withPriority('urgent', 'interactive')).then(() => order.push('more'));
            release();
            await settled();
          }
          for (const priority of priorities) {
            const own = waiting.filter((each) => each.priority === priority).length;
            const served = order.filter((each) => each === priority).length;
            expect(served).toBeGreaterThanOrEqual(Math.min(own, Math.floor(urgentCount / 20)));
          }
          while (scheduler.waitingCount > 0) {
            release();
            await settled();
          }
          expect(order).toHaveLength(waiting.length + urgentCount);
          if (urgentCount > 0 || waiting.length > 8) return;
          const ranks = order.map((each) => priorities.findIndex((priority) => priority === each));
          expect(ranks).toEqual(ranks.toSorted((one, other) => one - other));
        },
      ),
    );
  });

  it('displaces the newest request of the client with the most for one with far fewer', async () => {
    const { scheduler, enter, release } = openScheduler(1, 3);
    await enter('greedy');
    const greedy = [1, 2, 3].map(() => enter('greedy'));
    const modest = enter('modest');
    await expect(greedy[2]).rejects.toMatchObject({ code: 'queue_full' });
    expect(() => enter('greedy')).toThrow(/queue of this model is full/);
    expect(() => enter('modest')).toThrow(/queue of this model is full/);
    expect(scheduler.waitingCount).toBe(3);
    for (const next of [greedy[0], modest, greedy[1]]) {
      release();
      await next;
    }
  });

  it('tells the position of a request in the order in which requests get their places', async () => {
    const { scheduler, enter, release } = openScheduler(1, 100);
    await enter('running');
    const waiting = [
      scheduler.enter(withIdlePriority('late'), never),
      scheduler.enter('greedy', never),
      scheduler.enter('greedy', never),
      scheduler.enter('modest', never),
      scheduler.reenter('back', never),
    ];
    const positions = () => waiting.map(({ position }) => position);
    expect(positions()).toEqual([5, 2, 4, 3, 1]);
    const [, , , , back] = waiting;
    release();
    expect(positions()).toEqual([4, 1, 3, 2, undefined]);
    (await back?.place)?.leave();
    expect(positions()).toEqual([3, undefined, 2, 1, undefined]);
  });

  it('keeps its bounds and loses no request in random sequences', async () => {
    const operation = fc.oneof(
      fc.record({ kind: fc.constant('enter' as const), clientKey: fc.constantFrom('a', 'b', 'c') }),
      fc.record({ kind: fc.constant('release' as const) }),
      fc.record({ kind: fc.constant('abandon' as const), index: fc.nat(20) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(operation, { maxLength: 60 }), async (operations) => {
        const { scheduler, enter, release } = openScheduler(2, 3);
        const clients: AbortController[] = [];
        let running = 0;
        let ended = 0;
        for (const each of operations) {
          if (each.kind === 'enter') {
            const client = new AbortController();
            clients.push(client);
            try {
              enter(each.clientKey, client.signal).then(
                () => (running += 1),
                () => (ended += 1),
              );
            } catch {
              ended += 1;
            }
          } else if (each.kind === 'abandon') {
            clients[each.index]?.abort(new Error('gone'));
          } else if (running > 0) {
            running -= 1;
            ended += 1;
            release();
          }
          await settled();
          expect(scheduler.activeCount).toBe(running);
          expect(scheduler.activeCount).toBeLessThanOrEqual(2);
          expect(scheduler.waitingCount).toBeLessThanOrEqual(3);
          expect(scheduler.waitingCount > 0 && scheduler.activeCount < 2).toBe(false);
          expect(running + scheduler.waitingCount + ended).toBe(clients.length);
        }
      }),
    );
  });
});
