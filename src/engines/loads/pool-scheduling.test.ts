import { describe, expect, it, vi } from 'vitest';
import { deferred } from '../../../test/setup/deferred.ts';
import { openFrom } from '../../../test/setup/instances/scripted-pool.ts';
import { sizedPool } from '../../../test/setup/models/sized-models.ts';
import { testContext } from '../../../test/setup/test-context.ts';

const names = ['test/a10', 'test/b10', 'test/c10', 'test/d20', 'test/embed10', 'test/huge40'];

function setUp(changes: Parameters<typeof sizedPool>[1] = {}) {
  const { pool, launcher } = sizedPool(names, changes);
  const acquire = (identifier: string, options: Parameters<typeof openFrom>[2] = {}) => {
    const purpose = identifier.startsWith('test/embed') ? 'embedding' : 'generation';
    return openFrom(pool, identifier, options, purpose);
  };
  const use = async (identifier: string) => (await acquire(identifier)).close();
  const ids = () => pool.list().map(({ id }) => id);
  const states = () => Object.fromEntries(pool.list().map(({ id, state }) => [id, state]));
  return { pool, launcher, acquire, use, ids, states };
}

describe('memory', () => {
  it('evicts the least recently used idle instance', async () => {
    const { use, ids } = setUp();
    for (const name of ['test/a10', 'test/b10', 'test/c10', 'test/a10']) await use(name);
    await use('test/embed10');
    expect(ids()).toEqual(['test/a10', 'test/c10', 'test/embed10']);
  });

  it('counts an evicted instance until its process has exited', async () => {
    const { pool, launcher, acquire, use, states } = setUp();
    const stopped = deferred<void>();
    launcher.onStop = () => stopped.promise;
    for (const name of ['test/a10', 'test/b10', 'test/c10']) await use(name);
    const lease = acquire('test/d20');
    await vi.waitFor(() =>
      expect(states()).toEqual({ 'test/c10': 'ready', 'test/d20': 'waiting' }),
    );
    expect(pool.memory()).toMatchObject({ reservedBytes: 30, limitBytes: 30 });
    expect(launcher.launchCount()).toBe(3);
    stopped.resolve();
    await lease;
    expect(pool.memory().reservedBytes).toBe(30);
  });

  it('waits for a busy instance, while other requests join loaded ones', async () => {
    const { acquire, use, states, ids } = setUp();
    const busy = [await acquire('test/a10'), await acquire('test/d20')];
    const waiting = acquire('test/b10');
    await vi.waitFor(() => expect(states()).toMatchObject({ 'test/b10': 'waiting' }));
    await use('test/a10');
    expect(ids()).toEqual(['test/a10', 'test/d20', 'test/b10']);
    busy[0]?.close();
    expect((await waiting).lease.instance.id).toBe('test/b10');
    expect(ids()).toEqual(['test/d20', 'test/b10']);
  });

  it('does not let a small load overtake a large one that waits', async () => {
    const { acquire, states, launcher } = setUp();
    const first = await acquire('test/a10');
    const second = await acquire('test/b10');
    const big = acquire('test/d20');
    const small = acquire('test/c10');
    await vi.waitFor(() =>
      expect(states()).toMatchObject({ 'test/d20': 'waiting', 'test/c10': 'waiting' }),
    );
    expect(launcher.launchCount()).toBe(2);
    first.close();
    expect((await big).lease.instance.id).toBe('test/d20');
    expect(states()).toMatchObject({ 'test/c10': 'waiting' });
    second.close();
    expect((await small).lease.instance.id).toBe('test/c10');
  });

  it('rejects a load that never fits at once, naming the instances that stay', async () => {
    const { pool, acquire, use, ids } = setUp();
    await pool.load('test/d20', {}, testContext());
    await use('test/a10');
    await expect(acquire('test/huge40')).rejects.toMatchObject({
      code: 'out_of_memory',
      retryAfterSeconds: undefined,
      message: expect.stringMatching(/test\/d20 \(loaded by name, .*\) stay loaded/),
    });
    expect(ids()).toEqual(['test/d20', 'test/a10']);
  });

  it('loads if forced', async () => {
    const { pool, ids } = setUp();
    await pool.load('test/d20', {}, testContext());
    await expect(pool.load('test/huge40', {}, testContext())).rejects.toMatchObject({
      code: 'out_of_memory',
    });
    await pool.load('test/huge40', { isForced: true }, testContext());
    expect(ids()).toEqual(['test/d20', 'test/huge40']);
  });

  it('estimates without loading', async () => {
    const { pool, use, launcher } = setUp();
    await pool.load('test/a10', {}, testContext());
    await use('test/b10');
    const { estimate, ...rest } = await pool.estimate('test/d20', {});
    expect(estimate.totalBytes).toBe(20);
    expect(rest).toMatchObject({ usableBytes: 20, fits: true });
    expect(await pool.estimate('test/huge40', { isForced: true })).toMatchObject({ fits: false });
    expect(launcher.launchCount()).toBe(2);
  });

  it('limits the number of instances', async () => {
    const { acquire, use, ids, pool } = setUp({ maxLoaded: 2 });
    await use('test/a10');
    await use('test/b10');
    await use('test/c10');
    expect(ids()).toEqual(['test/b10', 'test/c10']);
    await pool.load('test/a10', {}, testContext());
    await pool.load('test/b10', {}, testContext());
    await expect(acquire('test/c10')).rejects.toThrow(/models.maxLoaded is 2, and test\/a10/);
  });

  it('fails with the numbers if no instance became idle in time', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const { acquire, ids } = setUp();
      await acquire('test/d20');
      await acquire('test/b10');
      const outcome = acquire('test/c10').catch((error: unknown) => error);
      await vi.advanceTimersByTimeAsync(60_000);
      expect(await outcome).toMatchObject({
        code: 'out_of_memory',
        retryAfterSeconds: 10,
        message: expect.stringMatching(/needs about [^,]+, and .+ can be used.* within 60 s/),
      });
      expect(ids()).toEqual(['test/d20', 'test/b10']);
    } finally {
      vi.useRealTimers();
    }
  });

  it('bounds the queue', async () => {
    const { acquire } = setUp({ loadQueueCapacity: 1 });
    const busy = [await acquire('test/a10'), await acquire('test/d20')];
    const waiting = acquire('test/b10');
    await expect(acquire('test/c10')).rejects.toMatchObject({ code: 'queue_full' });
    for (const lease of busy) lease.close();
    await expect(waiting).resolves.toBeDefined();
  });

  it('leaves the queue with the last waiting request', async () => {
    const { acquire, ids } = setUp();
    const busy = await acquire('test/d20');
    const holder = await acquire('test/a10');
    const caller = new AbortController();
    const waiting = acquire('test/b10', { signal: caller.signal });
    const behind = acquire('test/c10');
    await vi.waitFor(() => expect(ids()).toHaveLength(4));
    caller.abort(new Error('gone'));
    await expect(waiting).rejects.toThrow('gone');
    await vi.waitFor(() => expect(ids()).toEqual(['test/d20', 'test/a10', 'test/c10']));
    holder.close();
    await expect(behind).resolves.toMatchObject({ lease: { instance: { id: 'test/c10' } } });
    busy.close();
  });

  it('counts no memory for a queued load that is unloaded', async () => {
    const { acquire, pool, ids } = setUp();
    await acquire('test/d20');
    await acquire('test/a10');
    const waiting = acquire('test/b10').catch((error: unknown) => error);
    await vi.waitFor(() => expect(ids()).toHaveLength(3));
    const unloading = pool.unload('test/b10');
    expect(pool.memory().reservedBytes).toBe(30);
    expect(await waiting).toMatchObject({ code: 'unloaded' });
    await unloading;
  });

  it('rejects a load for which the memory is gone once it begins', async () => {
    let readings = 0;
    const { pool, ids } = setUp({
      // The first reading, for the plan, still shows enough memory.
      availableMemory: () => ({
        bytes: (readings += 1) === 1 ? 1000 : 1,
        includesMappedFiles: true,
      }),
    });
    await expect(pool.load('test/a10', {}, testContext())).rejects.toMatchObject({
      code: 'out_of_memory',
    });
    expect(ids()).toEqual([]);
  });

  it('rejects queued loads when the pool is closed', async () => {
    const { acquire, pool, ids } = setUp();
    await acquire('test/d20');
    await acquire('test/a10');
    const waiting = acquire('test/b10');
    await vi.waitFor(() => expect(ids()).toHaveLength(3));
    const outcome = waiting.catch((error: unknown) => error);
    await pool.close();
    expect(await outcome).toMatchObject({ code: 'shutting_down' });
    expect(pool.memory().reservedBytes).toBe(0);
  });
});

describe('keeping only the last just-in-time model', () => {
  it('unloads the previous one, but not one for another purpose, loaded by name or pinned', async () => {
    const { use, ids, pool } = setUp({
      keepsOnlyLast: true,
      pinned: ['test/a10'],
      memoryLimitBytes: 1000,
    });
    await pool.load('test/d20', {}, testContext());
    for (const name of ['test/a10', 'test/embed10', 'test/b10', 'test/c10']) await use(name);
    expect(ids()).toEqual(['test/d20', 'test/a10', 'test/embed10', 'test/c10']);
  });

  it('unloads a busy instance as soon as it is idle', async () => {
    const { acquire, use, ids } = setUp({ keepsOnlyLast: true });
    const lease = await acquire('test/a10');
    await use('test/b10');
    expect(ids()).toEqual(['test/a10', 'test/b10']);
    expect(lease.lease.context.signal.aborted).toBe(false);
    lease.close();
    expect(ids()).toEqual(['test/b10']);
  });
});

describe('time to live', () => {
  it('is set by the last request, unless the instance was loaded by name or is pinned', async () => {
    const { acquire, pool } = setUp({ pinned: ['test/c10'] });
    const ttlOf = (id: string) => pool.list().find((each) => each.id === id)?.ttlSeconds;
    (await acquire('test/a10')).close();
    expect(ttlOf('test/a10')).toBe(60);
    (await acquire('test/a10', { ttlSeconds: 5 })).close();
    (await acquire('test/a10')).close();
    expect(ttlOf('test/a10')).toBe(5);
    await pool.load('test/b10', { ttlSeconds: 7 }, testContext());
    (await acquire('test/b10', { ttlSeconds: 5 })).close();
    expect(ttlOf('test/b10')).toBe(7);
    (await acquire('test/c10', { ttlSeconds: 5 })).close();
    expect(ttlOf('test/c10')).toBeUndefined();
  });
});

describe('a long load', () => {
  it('continues when waiting requests time out, and they report its progress', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const { acquire, launcher, states } = setUp();
      const loaded = deferred<void>();
      launcher.onLaunch = async (_, onProgress) => {
        onProgress(0.25);
        await loaded.promise;
      };
      const refused = acquire('test/a10').catch((error: unknown) => error);
      await vi.advanceTimersByTimeAsync(60_000);
      expect(await refused).toMatchObject({
        code: 'model_loading',
        retryAfterSeconds: 10,
        loading: { progress: 0.25 },
      });
      expect(states()).toEqual({ 'test/a10': 'loading' });

      const waiting = acquire('test/a10', { waitsForLoad: true });
      await vi.advanceTimersByTimeAsync(600_000);
      loaded.resolve();
      (await waiting).close();
      expect(launcher.launchCount()).toBe(1);
    } finally {
      vi.useRealTimers();
    }
  });

  it('has no time limit by name', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const { pool, launcher } = setUp();
      const loaded = deferred<void>();
      launcher.onLaunch = () => loaded.promise;
      const loading = pool.load('test/a10', {}, testContext());
      await vi.advanceTimersByTimeAsync(600_000);
      loaded.resolve();
      expect(await loading).toMatchObject({ id: 'test/a10', state: 'ready' });
    } finally {
      vi.useRealTimers();
    }
  });

  it('frees its slot if the caller leaves at the moment it is loaded', async () => {
    for (let hops = 0; hops < 30; hops += 1) {
      const { acquire, launcher, pool } = setUp();
      const loaded = deferred<void>();
      launcher.onLaunch = () => loaded.promise;
      const caller = new AbortController();
      const leaving = acquire('test/a10', { signal: caller.signal }).then(
        (lease) => lease.close(),
        () => {},
      );
      const staying = acquire('test/a10');
      await vi.waitFor(() => expect(launcher.launchCount()).toBe(1));
      loaded.resolve();
      for (let hop = 0; hop < hops; hop += 1) await Promise.resolve();
      caller.abort(new Error('gone'));
      await leaving;
      (await staying).close();
      expect(pool.list()[0]).toMatchObject({ requestCount: 0, activeRequests: 0 });
    }
  });

  it('is unloaded after its time to live without further requests', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const { acquire, launcher, states } = setUp();
      const loaded = deferred<void>();
      launcher.onLaunch = () => loaded.promise;
      const refused = acquire('test/a10').catch((error: unknown) => error);
      await vi.advanceTimersByTimeAsync(60_000);
      expect(await refused).toMatchObject({ code: 'model_loading' });
      loaded.resolve();
      await vi.advanceTimersByTimeAsync(59_000);
      expect(states()).toEqual({ 'test/a10': 'ready' });
      await vi.advanceTimersByTimeAsync(2000);
      expect(states()).toEqual({});
    } finally {
      vi.useRealTimers();
    }
  });
});

describe('several clients and instances', () => {
  it('refuses a displaced request at once, even while the model loads', async () => {
    const { acquire, launcher } = setUp({ queueCapacity: 4 });
    launcher.onLaunch = () => new Promise(() => {});
    const greedy = Array.from({ length: 6 }, () => acquire('test/a10', { clientKey: 'greedy' }));
    acquire('test/a10', { clientKey: 'modest' }).catch(() => {});
    await expect(greedy[5]).rejects.toMatchObject({ code: 'queue_full' });
  });

  it('admits another client if one has filled the queue, even while the model loads', async () => {
    const { acquire } = setUp({ queueCapacity: 4 });
    const greedy = Array.from({ length: 6 }, () => acquire('test/a10', { clientKey: 'greedy' }));
    const outcomes = Promise.allSettled(greedy.slice(-1));
    const modest = acquire('test/a10', { clientKey: 'modest' });
    expect(await outcomes).toMatchObject([{ reason: { code: 'queue_full' } }]);
    // Two requests have slots. The next place goes to the greedy client, then one to the modest client.
    for (const lease of await Promise.all(greedy.slice(0, 2))) lease.close();
    await expect(modest).resolves.toBeDefined();
  });

  it('sends a conversation to the instance that has its prefix', async () => {
    const { acquire, pool } = setUp();
    await pool.load('test/a10', {}, testContext());
    await pool.load('test/a10', {}, testContext());
    const first = await acquire('test/a10', { promptPrefix: 'Tell me a story.' });
    const second = await acquire('test/a10', { promptPrefix: 'What is it?' });
    expect([first.lease.instance.id, second.lease.instance.id]).toEqual(['test/a10', 'test/a10:2']);
    first.close();
    second.close();
    const next = await acquire('test/a10', { promptPrefix: 'What is it? A cat. And this?' });
    expect(next.lease.instance.id).toBe('test/a10:2');
  });
});
