import { getEventListeners } from 'node:events';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lastInTurn } from '../../concurrency/fair-queue.ts';
import { HearthError } from '../../contract/errors.ts';
import { SlotQueue } from './slot-queue.ts';

const never = new AbortController().signal;

function openQueue(slotCount: number, capacity: number): SlotQueue {
  const queue = new SlotQueue(slotCount, capacity);
  queue.open();
  return queue;
}

/** Runs all pending continuations. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('SlotQueue', () => {
  it('assigns all slots, then queues in order of arrival', async () => {
    const queue = openQueue(2, 10);
    await queue.enter('a', never);
    await queue.enter('a', never);
    const order: string[] = [];
    const third = queue.enter('a', never).then(() => order.push('third'));
    const fourth = queue.enter('a', never).then(() => order.push('fourth'));
    expect(queue.waitingCount).toBe(2);
    queue.release();
    await third;
    expect(order).toEqual(['third']);
    queue.release();
    await fourth;
    expect(order).toEqual(['third', 'fourth']);
    queue.release();
    queue.release();
    expect(queue.activeCount).toBe(0);
  });

  it('assigns no slot until it is opened, and counts waiting requests against slots and bound', async () => {
    const queue = new SlotQueue(2, 1);
    const waiting = [queue.enter('a', never), queue.enter('a', never), queue.enter('a', never)];
    expect(() => queue.enter('a', never)).toThrow(/queue of this model is full/);
    expect(queue.activeCount).toBe(0);
    queue.open();
    await Promise.all(waiting.slice(0, 2));
    expect([queue.activeCount, queue.waitingCount]).toEqual([2, 1]);
    queue.release();
    await waiting[2];
  });

  it('rejects at once if the queue is full', async () => {
    const queue = openQueue(1, 1);
    await queue.enter('a', never);
    void queue.enter('a', never);
    expect(() => queue.enter('a', never)).toThrow(
      expect.objectContaining({
        code: 'queue_full',
        retryAfterSeconds: 1,
        message:
          'The queue of this model is full: 1 requests run and 1 wait (limits.queuedRequests is 1). Try again soon.',
      }),
    );
  });

  it.each([
    ['has its slot', (queue: SlotQueue) => queue.release()],
    ['has left', (_: SlotQueue, caller: AbortController) => caller.abort(new Error('gone'))],
    ['was refused', (queue: SlotQueue) => queue.close(new HearthError('unloaded', 'Gone.'))],
  ])('forgets the signal of a request that %s', async (_, end) => {
    const queue = openQueue(1, 1);
    await queue.enter('a', never);
    const caller = new AbortController();
    const waiting = queue.enter('a', caller.signal).catch(() => {});
    expect(getEventListeners(caller.signal, 'abort')).toHaveLength(1);
    end(queue, caller);
    await waiting;
    expect(getEventListeners(caller.signal, 'abort')).toHaveLength(0);
  });

  it('removes a request that leaves, and serves the next', async () => {
    const queue = openQueue(1, 2);
    await queue.enter('a', never);
    const client = new AbortController();
    const abandoned = queue.enter('a', client.signal);
    const next = queue.enter('a', never);
    client.abort(new Error('gone'));
    await expect(abandoned).rejects.toThrow('gone');
    expect(queue.waitingCount).toBe(1);
    queue.release();
    await next;
    expect(queue.activeCount).toBe(1);
  });

  it('fails all waiting and later requests after close', async () => {
    const queue = openQueue(1, 2);
    await queue.enter('a', never);
    const waiting = queue.enter('a', never);
    queue.close(new HearthError('unloaded', 'It went.'));
    await expect(waiting).rejects.toMatchObject({ code: 'unloaded' });
    expect(() => queue.enter('a', never)).toThrow('It went.');
  });
});

describe('SlotQueue.reenter', () => {
  it('goes ahead of requests that have not begun, even if the queue is full', async () => {
    const queue = openQueue(1, 2);
    await queue.enter('a', never);
    const order: string[] = [];
    const waiting = ['new', 'newer'].map((name) =>
      queue.enter('a', never).then(() => order.push(name)),
    );
    const back = queue.reenter('b', never).then(() => order.push('back'));
    expect(() => queue.enter('a', never)).toThrow(/queue of this model is full/);
    expect(queue.waitingCount).toBe(3);
    for (const next of [back, ...waiting]) {
      queue.release();
      await next;
    }
    expect(order).toEqual(['back', 'new', 'newer']);
  });

  it('takes a free slot at once, and cannot be displaced from the queue', async () => {
    const queue = openQueue(1, 1);
    await queue.reenter('greedy', never);
    const back = [1, 2, 3].map(() => queue.reenter('greedy', never));
    const modest = queue.enter('modest', never);
    for (const next of [...back, modest]) {
      queue.release();
      await next;
    }
    expect([queue.activeCount, queue.waitingCount]).toEqual([1, 0]);
  });

  it('ends with its signal and with the queue', async () => {
    const queue = openQueue(1, 1);
    await queue.enter('a', never);
    const client = new AbortController();
    const abandoned = queue.reenter('a', client.signal);
    const waiting = queue.reenter('a', never);
    client.abort(new Error('gone'));
    await expect(abandoned).rejects.toThrow('gone');
    queue.close(new HearthError('unloaded', 'It went.'));
    await expect(waiting).rejects.toMatchObject({ code: 'unloaded' });
    expect(() => queue.reenter('a', never)).toThrow('It went.');
  });
});

describe('SlotQueue with several clients', () => {
  it('alternates between clients, independent of their number of requests', async () => {
    const queue = openQueue(1, 1000);
    await queue.enter('greedy', never);
    const order: string[] = [];
    const enter = (clientKey: string): void =>
      void queue.enter(clientKey, never).then(() => order.push(clientKey));
    for (let count = 0; count < 100; count += 1) enter('greedy');
    enter('modest');
    enter('other');
    enter('modest');
    for (let count = 0; count < 8; count += 1) {
      queue.release();
      await settled();
    }
    expect(order.join(' ')).toBe('greedy modest other greedy modest greedy greedy greedy');
  });

  it('lets a client that is last in turn wait for all others, even after it had a slot', async () => {
    const queue = openQueue(1, 1000);
    const late = lastInTurn('modest');
    await queue.enter('greedy', never);
    const order: string[] = [];
    const note = (name: string) => () => order.push(name);
    void queue.enter(late, never).then(note('late'));
    void queue.reenter(late, never).then(note('late again'));
    void queue.enter('greedy', never).then(note('greedy'));
    void queue.enter('modest', never).then(note('modest'));
    for (let count = 0; count < 4; count += 1) {
      queue.release();
      await settled();
    }
    expect(order).toEqual(['greedy', 'modest', 'late again', 'late']);
  });

  it('displaces the newest request of the client with the most for one with far fewer', async () => {
    const queue = openQueue(1, 3);
    await queue.enter('greedy', never);
    const greedy = [1, 2, 3].map(() => queue.enter('greedy', never));
    const modest = queue.enter('modest', never);
    await expect(greedy[2]).rejects.toMatchObject({ code: 'queue_full' });
    expect(() => queue.enter('greedy', never)).toThrow(/queue of this model is full/);
    expect(() => queue.enter('modest', never)).toThrow(/queue of this model is full/);
    expect(queue.waitingCount).toBe(3);
    for (const next of [greedy[0], modest, greedy[1]]) {
      queue.release();
      await next;
    }
  });

  it('keeps its bounds and loses no request in random sequences', async () => {
    const operation = fc.oneof(
      fc.record({ kind: fc.constant('enter' as const), clientKey: fc.constantFrom('a', 'b', 'c') }),
      fc.record({ kind: fc.constant('release' as const) }),
      fc.record({ kind: fc.constant('abandon' as const), index: fc.nat(20) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(operation, { maxLength: 60 }), async (operations) => {
        const queue = openQueue(2, 3);
        const clients: AbortController[] = [];
        let running = 0;
        let ended = 0;
        for (const each of operations) {
          if (each.kind === 'enter') {
            const client = new AbortController();
            clients.push(client);
            try {
              queue.enter(each.clientKey, client.signal).then(
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
            queue.release();
          }
          await settled();
          expect(queue.activeCount).toBe(running);
          expect(queue.activeCount).toBeLessThanOrEqual(2);
          expect(queue.waitingCount).toBeLessThanOrEqual(3);
          expect(queue.waitingCount > 0 && queue.activeCount < 2).toBe(false);
          expect(running + queue.waitingCount + ended).toBe(clients.length);
        }
      }),
    );
  });
});
