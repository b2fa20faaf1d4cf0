import { describe, expect, it, vi } from 'vitest';
import { openFrom } from '../../../test/setup/instances/scripted-pool.ts';
import { sizedPool } from '../../../test/setup/models/sized-models.ts';
import { testContext } from '../../../test/setup/test-context.ts';
import type { EventPublisher } from '../../kernel/events/server-events.ts';
import type { Session } from '../session.ts';

const names = ['test/a10', 'test/b10', 'test/c10', 'test/d20', 'test/e10', 'test/f10'];

/** A pool whose memory is filled by two busy models, and functions that request more models. */
async function fullPool(changes: Parameters<typeof sizedPool>[1] = {}) {
  const { pool } = sizedPool(names, changes);
  const acquire = (identifier: string, clientKey = '', signal?: AbortSignal) =>
    openFrom(pool, identifier, { clientKey, ...(signal && { signal }) });
  const load = (identifier: string, clientKey: string) =>
    pool.load(identifier, {}, testContext({ caller: { clientKey } }));
  const waiting = () =>
    pool
      .list()
      .filter(({ state }) => state === 'waiting')
      .map(({ id }) => id);
  const busy = [await acquire('test/d20'), await acquire('test/a10')];
  const makeRoom = () => busy.pop()?.close();
  return { acquire, load, waiting, makeRoom };
}

describe('queued loads', () => {
  it('alternate between clients', async () => {
    const { acquire, waiting, makeRoom } = await fullPool();
    const order: string[] = [];
    const greedy = ['test/b10', 'test/c10', 'test/e10'].map(async (id) => {
      const lease = await acquire(id, 'greedy');
      order.push(id);
      lease.close();
    });
    await vi.waitFor(() => expect(waiting()).toHaveLength(3));
    const modest = (async () => {
      const lease = await acquire('test/f10', 'modest');
      order.push('test/f10');
      lease.close();
    })();
    await vi.waitFor(() => expect(waiting()).toHaveLength(4));
    makeRoom();
    await Promise.all([...greedy, modest]);
    expect(order).toEqual(['test/b10', 'test/f10', 'test/c10', 'test/e10']);
  });

  it('make room for a client with far fewer loads, including loads by name', async () => {
    const { acquire, load, waiting, makeRoom } = await fullPool({ loadQueueCapacity: 2 });
    const greedy = [acquire('test/b10', 'greedy'), acquire('test/c10', 'greedy')];
    await vi.waitFor(() => expect(waiting()).toHaveLength(2));
    const modest = load('test/f10', 'modest');
    await expect(greedy[1]).rejects.toMatchObject({
      code: 'queue_full',
      message: expect.stringMatching(/^test\/c10 can't be loaded now/),
    });
    await expect(acquire('test/e10', 'greedy')).rejects.toMatchObject({ code: 'queue_full' });
    await expect(acquire('test/e10', 'modest')).rejects.toMatchObject({ code: 'queue_full' });
    makeRoom();
    (await greedy[0])?.close();
    expect((await modest).id).toBe('test/f10');
  });

  it('get no slot before they begin', async () => {
    const { pool } = sizedPool(names, {});
    const busy = [await openFrom(pool, 'test/d20'), await openFrom(pool, 'test/a10')];
    const events: string[] = [];
    const onEvent = ({ type }: { readonly type: string }): void => void events.push(type);
    const onOpen = ({ placed }: Session): void => void placed.then(() => events.push('placed'));
    const waiting = openFrom(pool, 'test/b10', { onOpen, onEvent });
    await vi.waitFor(() => expect(pool.list()).toHaveLength(3));
    await new Promise((resolve) => setImmediate(resolve));
    expect(events).toEqual(['load.start']);
    expect(pool.list()[2]).toMatchObject({
      state: 'waiting',
      activeRequests: 0,
      queuedRequests: 1,
    });
    for (const lease of busy) lease.close();
    await waiting;
    expect(events).toEqual(['load.start', 'placed', 'load.end']);
  });

  it('leave the queue when all their requests leave at the same time', async () => {
    const { acquire, waiting } = await fullPool();
    const caller = new AbortController();
    const outcomes = Promise.allSettled([
      acquire('test/b10', 'one', caller.signal),
      acquire('test/b10', 'two', caller.signal),
    ]);
    await vi.waitFor(() => expect(waiting()).toHaveLength(1));
    caller.abort(new Error('gone'));
    await outcomes;
    expect(waiting()).toEqual([]);
  });

  it('notice memory that other programs free', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    try {
      let availableBytes = 30;
      const { acquire, waiting } = await fullPool({
        memoryLimitBytes: undefined,
        availableMemory: () => ({ bytes: availableBytes, includesMappedFiles: true }),
      });
      availableBytes = 0;
      const lease = acquire('test/b10');
      const caller = new AbortController();
      const leaving = acquire('test/c10', '', caller.signal);
      await vi.waitFor(() => expect(waiting()).toEqual(['test/b10', 'test/c10']));
      caller.abort(new Error('gone'));
      await expect(leaving).rejects.toThrow('gone');
      availableBytes = 10;
      await vi.advanceTimersByTimeAsync(1000);
      await expect(lease).resolves.toMatchObject({ lease: { instance: { id: 'test/b10' } } });
      expect(vi.getTimerCount()).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });
});

describe('without room in the queue', () => {
  it('a model that fits is loaded', async () => {
    const { pool } = sizedPool(names, { loadQueueCapacity: 0 });
    expect((await openFrom(pool, 'test/d20')).lease.instance.id).toBe('test/d20');
    expect((await openFrom(pool, 'test/a10')).lease.instance.id).toBe('test/a10');
  });

  it('a model that must wait is rejected, unless its load is forced', async () => {
    const { acquire } = await fullPool({ loadQueueCapacity: 0 });
    await expect(acquire('test/b10')).rejects.toMatchObject({ code: 'queue_full' });
    const { pool } = sizedPool(names, { loadQueueCapacity: 0 });
    const busy = [await openFrom(pool, 'test/d20'), await openFrom(pool, 'test/a10')];
    const forced = await pool.load('test/b10', { isForced: true }, testContext());
    expect(forced).toMatchObject({ id: 'test/b10', state: 'ready' });
    for (const lease of busy) lease.close();
  });

  it('a model that fits is rejected, too, while another one waits', async () => {
    const { pool } = sizedPool(names, { loadQueueCapacity: 1 });
    await openFrom(pool, 'test/a10');
    await openFrom(pool, 'test/b10');
    const large = openFrom(pool, 'test/d20');
    await vi.waitFor(() => expect(pool.list()).toHaveLength(3));
    await expect(openFrom(pool, 'test/c10')).rejects.toMatchObject({ code: 'queue_full' });
    const forced = await pool.load('test/c10', { isForced: true }, testContext());
    await pool.unload(forced.id);
    expect(pool.list().map(({ id }) => id)).toEqual(['test/a10', 'test/b10', 'test/d20']);
    large.catch(() => {});
    await pool.close();
  });
});

describe('an eviction', () => {
  /** A pool, and the causes and reasons of its evictions. */
  function observedPool(changes: Parameters<typeof sizedPool>[1] = {}) {
    const evictions: string[] = [];
    const publish: EventPublisher['publish'] = (event) => {
      if (event.type === 'instance.evicted') evictions.push(`${event.cause}: ${event.reason}`);
    };
    const { pool } = sizedPool(names, { events: { publish }, ...changes });
    const use = async (id: string, contextLength?: number): Promise<void> => {
      const options = contextLength === undefined ? {} : { contextLength };
      (await openFrom(pool, id, options)).close();
    };
    return { pool, evictions, use };
  }

  it('for memory names the unloaded model', async () => {
    const { evictions, use } = observedPool();
    await use('test/a10');
    await use('test/d20');
    await use('test/b10');
    expect(evictions).toEqual(['memory: test/a10 was unloaded to make room for another model.']);
  });

  it('by the next model names both, if the model was idle', async () => {
    const { evictions, use } = observedPool({ keepsOnlyLast: true });
    await use('test/a10');
    await use('test/b10');
    expect(evictions).toEqual(['replaced: test/a10 was replaced by test/b10.']);
  });

  it('by the next model follows the last request of a busy one', async () => {
    const { pool, evictions, use } = observedPool({ keepsOnlyLast: true });
    const busy = await openFrom(pool, 'test/a10');
    await use('test/b10');
    expect(evictions).toEqual([]);
    busy.close();
    expect(evictions).toEqual(['replaced: test/a10 was replaced by another model.']);
  });

  it('by another context of the same model names it', async () => {
    const { evictions, use } = observedPool();
    await use('test/a10', 1024);
    await use('test/a10', 2048);
    expect(evictions).toEqual([
      'replaced: test/a10 was replaced by an instance with another context or other adapters.',
    ]);
  });
});
