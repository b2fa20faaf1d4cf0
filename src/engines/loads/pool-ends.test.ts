import { describe, expect, it, vi } from 'vitest';
import { modelEntry } from '../../../test/setup/models/model-entry.ts';
import { openFrom, scriptedPool } from '../../../test/setup/instances/scripted-pool.ts';
import { testContext } from '../../../test/setup/test-context.ts';

function setUp() {
  const { pool, launcher } = scriptedPool(modelEntry(), modelEntry({ key: 'test/other' }));
  const acquire = (identifier = 'test/model') => openFrom(pool, identifier);
  const ids = () => pool.list().map(({ id }) => id);
  return { pool, launcher, acquire, ids };
}

describe('an instance that ends', () => {
  it('is loaded again after a crash while idle', async () => {
    const { launcher, acquire, ids } = setUp();
    (await acquire()).close();
    launcher.processes[0]?.crash('segmentation fault');
    await vi.waitFor(() => expect(ids()).toEqual([]));
    (await acquire()).close();
    expect(launcher.launchCount()).toBe(2);
    expect(ids()).toEqual(['test/model']);
  });

  it('is loaded again after an unload, with the same id', async () => {
    const { launcher, acquire, pool } = setUp();
    const first = await acquire();
    await pool.unload('test/model');
    const second = await acquire();
    expect(second.lease.instance.id).toBe('test/model');
    // The lease of the first instance does not affect the second.
    first.close();
    expect(pool.list()).toMatchObject([{ requestCount: 1, activeRequests: 1 }]);
    expect(second.lease.context.signal.aborted).toBe(false);
    expect(launcher.launchCount()).toBe(2);
  });

  it('ends its requests when it crashes, and the next one loads it again', async () => {
    const { launcher, acquire, ids, pool } = setUp();
    const leases = [await acquire(), await acquire()];
    const waiting = acquire();
    await vi.waitFor(() => expect(pool.list()[0]?.queuedRequests).toBe(1));
    launcher.processes[0]?.crash('segmentation fault');
    await expect(waiting).rejects.toMatchObject({ code: 'crashed' });
    expect(leases[0]?.lease.context.signal.reason).toMatchObject({
      code: 'crashed',
      message: expect.stringContaining('segmentation fault'),
    });
    expect(ids()).toEqual([]);
    for (const lease of leases) lease.close();
    await acquire();
    expect(launcher.launchCount()).toBe(2);
  });

  it('ends its requests when it is unloaded, and has ended when that resolves', async () => {
    const { launcher, acquire, ids, pool } = setUp();
    const lease = await acquire();
    await pool.unload('test/model');
    expect(lease.lease.context.signal.reason).toMatchObject({ code: 'unloaded' });
    expect(launcher.processes[0]?.isStopped()).toBe(true);
    expect(ids()).toEqual([]);
    await expect(pool.unload('test/model')).rejects.toMatchObject({ code: 'instance_not_found' });
  });

  it('is unloaded when it was idle for long enough, not while a request runs', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const { acquire, ids } = setUp();
      const lease = await acquire();
      await vi.advanceTimersByTimeAsync(120_000);
      expect(ids()).toEqual(['test/model']);
      expect(lease.lease.context.signal.aborted).toBe(false);
      lease.close();
      await vi.advanceTimersByTimeAsync(59_000);
      expect(ids()).toEqual(['test/model']);
      await vi.advanceTimersByTimeAsync(2000);
      expect(ids()).toEqual([]);
    } finally {
      vi.useRealTimers();
    }
  });

  it('stays if it was loaded explicitly without a time to live', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const { acquire, ids, pool } = setUp();
      await pool.load('test/model', {}, testContext());
      (await acquire()).close();
      await vi.advanceTimersByTimeAsync(10 * 3600 * 1000);
      expect(ids()).toEqual(['test/model']);
    } finally {
      vi.useRealTimers();
    }
  });

  it('ends when the pool is closed', async () => {
    const { launcher, acquire, pool, ids } = setUp();
    await acquire('test/model');
    await acquire('test/other');
    await pool.close();
    expect(launcher.processes.every(({ isStopped }) => isStopped())).toBe(true);
    expect(ids()).toEqual([]);
    await expect(acquire()).rejects.toMatchObject({ code: 'shutting_down' });
  });
});
