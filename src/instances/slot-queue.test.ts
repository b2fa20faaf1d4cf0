import { describe, expect, it } from 'vitest';
import { HearthError } from '../contract/errors.ts';
import { SlotQueue } from './slot-queue.ts';

const never = new AbortController().signal;

describe('SlotQueue', () => {
  it('admits as many as there are slots, then in order of arrival', async () => {
    const queue = new SlotQueue(2, 10);
    await queue.acquire(never);
    await queue.acquire(never);
    const order: string[] = [];
    const third = queue.acquire(never).then(() => order.push('third'));
    const fourth = queue.acquire(never).then(() => order.push('fourth'));
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

  it('refuses at once where the queue is full', async () => {
    const queue = new SlotQueue(1, 1);
    await queue.acquire(never);
    void queue.acquire(never);
    await expect(queue.acquire(never)).rejects.toMatchObject({
      code: 'queue_full',
      retryAfterSeconds: 1,
    });
  });

  it('counts those that are on their way', () => {
    const queue = new SlotQueue(1, 1);
    expect(() => queue.assertRoom(1)).not.toThrow();
    expect(() => queue.assertRoom(2)).toThrow(/queue of this model is full/);
  });

  it('forgets a waiter that gives up and gives its turn to the next', async () => {
    const queue = new SlotQueue(1, 2);
    await queue.acquire(never);
    const caller = new AbortController();
    const abandoned = queue.acquire(caller.signal);
    const next = queue.acquire(never);
    caller.abort(new Error('gone'));
    await expect(abandoned).rejects.toThrow('gone');
    expect(queue.waitingCount).toBe(1);
    queue.release();
    await next;
    expect(queue.activeCount).toBe(1);
  });

  it('fails all that wait and all that come when it is closed', async () => {
    const queue = new SlotQueue(1, 2);
    await queue.acquire(never);
    const waiting = queue.acquire(never);
    queue.close(new HearthError('unloaded', 'It went.'));
    await expect(waiting).rejects.toMatchObject({ code: 'unloaded' });
    await expect(queue.acquire(never)).rejects.toMatchObject({ code: 'unloaded' });
  });
});
