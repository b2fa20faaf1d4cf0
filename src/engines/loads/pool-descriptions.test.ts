import { describe, expect, it, vi } from 'vitest';
import {
  openFrom,
  libraryOf,
  scriptedPool,
  scriptedPoolWith,
} from '../../../test/setup/instances/scripted-pool.ts';
import { modelEntry } from '../../../test/setup/models/model-entry.ts';
import { sizedPool } from '../../../test/setup/models/sized-models.ts';
import { testContext } from '../../../test/setup/test-context.ts';
import { HearthError } from '../../kernel/errors/errors.ts';
import type { ModelLibrary } from '../../library/model.ts';
import type { Engines } from '../engines.ts';

describe('the memory for models that are not loaded', () => {
  it('is bounded by the limit and by the machine', () => {
    const headroom = (options: { memoryLimitBytes?: number; totalMemoryBytes: number }) =>
      sizedPool(['test/a10'], { memoryLimitBytes: undefined, ...options }).pool.headroom();
    expect(headroom({ totalMemoryBytes: 100, memoryLimitBytes: 30 })).toEqual({
      usableBytes: 30,
      capacityBytes: 30,
    });
    expect(headroom({ totalMemoryBytes: 20, memoryLimitBytes: 30 }).capacityBytes).toBe(20);
    expect(headroom({ totalMemoryBytes: 20 }).capacityBytes).toBe(20);
  });
});

describe('an instance id of the caller', () => {
  const load = (pool: Engines, model: string, identifier: string) =>
    pool.load(model, { identifier }, testContext());

  it('names the instance', async () => {
    const { pool } = sizedPool(['test/a10', 'test/b10']);
    expect((await load(pool, 'test/a10', 'mine')).id).toBe('mine');
    expect((await openFrom(pool, 'mine')).lease.instance.id).toBe('mine');
  });

  it('must not be that of another instance or model', async () => {
    const { pool } = sizedPool(['test/a10', 'test/b10']);
    await load(pool, 'test/a10', 'mine');
    await expect(load(pool, 'test/b10', 'mine')).rejects.toMatchObject({
      code: 'conflict',
      field: 'identifier',
      message: '"mine" is the name of another instance.',
    });
    await expect(load(pool, 'test/a10', 'test/b10')).rejects.toMatchObject({
      code: 'conflict',
      message: '"test/b10" is the name of another model.',
    });
    expect(pool.list().map(({ id }) => id)).toEqual(['mine']);
  });

  it('is not checked against a library that cannot be read', async () => {
    const models = libraryOf(modelEntry());
    const library: ModelLibrary = {
      ...models,
      find: async (identifier) => {
        if (identifier === 'mine') throw new HearthError('internal', 'The disk failed.');
        return models.find(identifier);
      },
    };
    const { pool } = scriptedPoolWith({ library });
    await expect(load(pool, 'test/model', 'mine')).rejects.toThrow('The disk failed.');
  });
});

it('reports the seconds since the last request, also after the clock was set back', async () => {
  vi.useFakeTimers({ toFake: ['Date', 'performance'] });
  try {
    const { pool } = scriptedPool(modelEntry());
    const lease = await openFrom(pool, 'test/model');
    expect(pool.list()[0]?.idleSeconds).toBeUndefined();
    vi.advanceTimersByTime(1000);
    lease.close();
    vi.advanceTimersByTime(5000);
    vi.setSystemTime(Date.now() - 3_600_000);
    expect(pool.list()[0]?.idleSeconds).toBe(5);
  } finally {
    vi.useRealTimers();
  }
});

it('describes an instance with the figures of its engine', async () => {
  const { pool } = scriptedPool(modelEntry());
  await pool.load('test/model', {}, testContext());
  expect(await pool.describe()).toMatchObject([{ id: 'test/model', stats: { pid: 1 } }]);
});
