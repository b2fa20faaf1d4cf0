import { describe, expect, it, vi } from 'vitest';
import { deferred } from '../../../test/setup/deferred.ts';
import { modelEntry } from '../../../test/setup/models/model-entry.ts';
import {
  openFrom,
  libraryOf,
  scriptedPoolWith,
  type ScriptedPoolOptions,
} from '../../../test/setup/instances/scripted-pool.ts';
import { testContext } from '../../../test/setup/test-context.ts';
import { HearthError } from '../../kernel/errors/errors.ts';
import type { Session } from '../session.ts';
import type { LoadEvent, QueuedEvent } from '../session-event.ts';

function setUp(changes: Partial<ScriptedPoolOptions> = {}) {
  const library = libraryOf(
    modelEntry(),
    modelEntry({ key: 'test/other' }),
    modelEntry({ key: 'test/embed', type: 'embeddings' }),
    modelEntry({ key: 'test/mlx', format: 'mlx' }),
  );
  const { pool, launcher } = scriptedPoolWith({ library, ...changes });
  const acquire = (
    identifier = 'test/model',
    options: { contextLength?: number; signal?: AbortSignal } = {},
    listeners: {
      onOpen?: (session: Session) => void;
      onEvent?: (event: QueuedEvent | LoadEvent) => void;
    } = {},
  ) => openFrom(pool, identifier, { ...options, ...listeners });
  const ids = () => pool.list().map(({ id }) => id);
  return { pool, launcher, acquire, ids };
}

describe('Engines.open', () => {
  it('starts one child for 64 concurrent first requests', async () => {
    const { launcher, acquire, ids } = setUp();
    const served = Array.from({ length: 64 }, async () => (await acquire()).close());
    await Promise.all(served);
    expect(launcher.launchCount()).toBe(1);
    expect(ids()).toEqual(['test/model']);
  });

  it('reports the load only to the requests that wait for it', async () => {
    const { launcher, acquire } = setUp();
    launcher.onLaunch = async (_, onProgress) => onProgress(0.5);
    const events: unknown[] = [];
    const listeners = {
      onOpen: ({ lease, isLoading }: Session) =>
        events.push({ instanceId: lease.instance.id, isLoading }),
      onEvent: (event: unknown) => events.push(event),
    };
    const first = await acquire('test/model', {}, listeners);
    const instanceId = 'test/model';
    expect(events.splice(0)).toEqual([
      { instanceId, isLoading: true },
      { type: 'load.start', instanceId },
      { type: 'load.progress', instanceId, fraction: 0.5 },
      { type: 'load.end', instanceId, loadTimeSeconds: expect.any(Number) },
    ]);
    expect(first.loadTimeSeconds).toEqual(expect.any(Number));
    const later = await acquire('test/model', {}, listeners);
    expect(events).toEqual([{ instanceId, isLoading: false }]);
    expect(later.loadTimeSeconds).toBeUndefined();
  });

  it('assigns slots in order of arrival while the model still loads', async () => {
    const { launcher, acquire, pool } = setUp();
    const loaded = deferred<void>();
    launcher.onLaunch = () => loaded.promise;
    const events: string[] = [];
    const acquiring = ['one', 'two', 'three'].map((name) =>
      acquire(
        'test/model',
        {},
        {
          onOpen: ({ placed }) => void placed.then(() => events.push(`${name} placed`)),
          onEvent: ({ type }) => {
            if (type === 'load.end') events.push(`${name} ${type}`);
          },
        },
      ),
    );
    await vi.waitFor(() => expect(events).toEqual(['one placed', 'two placed']));
    expect(pool.list()).toMatchObject([
      { state: 'loading', requestCount: 3, activeRequests: 0, queuedRequests: 3 },
    ]);
    loaded.resolve();
    const [one] = await Promise.all(acquiring.slice(0, 2));
    one?.close();
    await acquiring[2];
    expect(events.slice(2)).toEqual([
      'one load.end',
      'two load.end',
      'three load.end',
      'three placed',
    ]);
  });

  it('reassigns the slot of a request that leaves while the model loads', async () => {
    const { launcher, acquire } = setUp({ defaults: { contextLength: 2048, parallel: 1 } });
    const loaded = deferred<void>();
    launcher.onLaunch = () => loaded.promise;
    const client = new AbortController();
    const leaving = acquire('test/model', { signal: client.signal });
    const events: string[] = [];
    const staying = acquire(
      'test/model',
      {},
      {
        onOpen: ({ placed }) => void placed.then(() => events.push('placed')),
        onEvent: ({ type }) => events.push(type),
      },
    );
    await vi.waitFor(() => expect(events).toEqual(['load.start']));
    client.abort(new Error('gone'));
    await expect(leaving).rejects.toThrow('gone');
    await vi.waitFor(() => expect(events).toContain('placed'));
    loaded.resolve();
    await expect(staying).resolves.toMatchObject({ lease: { instance: { id: 'test/model' } } });
  });

  it('starts nothing for an aborted signal', async () => {
    const { launcher, acquire, ids } = setUp();
    const signal = AbortSignal.abort(new Error('gone'));
    await expect(acquire('test/model', { signal })).rejects.toThrow('gone');
    expect(launcher.launchCount()).toBe(0);
    const lease = await acquire();
    await expect(acquire('test/model', { signal })).rejects.toThrow('gone');
    lease.close();
    expect(ids()).toEqual(['test/model']);
  });

  it('runs the resolved model, even if the named instance has ended since', async () => {
    const { pool } = setUp();
    await pool.load('test/model', {}, testContext());
    await pool.load('test/model', { contextLength: 1024 }, testContext());
    const target = await pool.resolve('test/model:2', 'generation');
    expect(target).toMatchObject({
      instanceId: 'test/model:2',
      selection: { model: { key: 'test/model' } },
    });
    expect(pool.open({ target }, testContext()).lease.instance.id).toBe('test/model:2');
    await pool.unload('test/model:2');
    expect(pool.open({ target }, testContext()).lease.instance.id).toBe('test/model');
  });

  it('unloads by the key of a model that has one instance', async () => {
    const { pool, ids } = setUp();
    await pool.load('test/model', {}, testContext());
    await pool.load('test/model', { contextLength: 1024 }, testContext());
    await pool.load('test/model', { contextLength: 512 }, testContext());
    await pool.unload('test/model');
    await expect(pool.unload('test/model')).rejects.toMatchObject({ code: 'instance_not_found' });
    await pool.unload('test/model:3');
    expect(await pool.unload('test/model')).toBe('test/model:2');
    expect(ids()).toEqual([]);
  });

  it('loads another instance for another context', async () => {
    const { acquire, ids, pool } = setUp();
    await acquire();
    await acquire('test/model', { contextLength: 512 });
    await acquire('test/model', { contextLength: 512 });
    expect(ids()).toEqual(['test/model', 'test/model:2']);
    expect(pool.list().map(({ config }) => config.contextLength)).toEqual([2048, 512]);
  });

  it('unloads an idle instance that a request for another context supersedes', async () => {
    const { acquire, ids, pool } = setUp();
    (await acquire('test/model', { contextLength: 512 })).close();
    (await acquire('test/model', { contextLength: 1024 })).close();
    expect(ids()).toEqual(['test/model']);
    expect(pool.list().map(({ config }) => config.contextLength)).toEqual([1024]);
  });

  it('uses an instance by its id', async () => {
    const { acquire, pool } = setUp();
    await pool.load('test/model', {}, testContext());
    await pool.load('test/model', {}, testContext());
    expect((await acquire('test/model:2')).lease.instance.id).toBe('test/model:2');
    const again = await acquire('test/model:2', { contextLength: 2048 });
    expect(again.lease.instance.id).toBe('test/model:2');
    const other = await acquire('test/model:2', { contextLength: 1024 });
    expect(other.lease.instance.id).toBe('test/model:3');
  });

  it('uses the only loaded model if none is named', async () => {
    const { acquire } = setUp();
    await expect(acquire('')).rejects.toMatchObject({ code: 'missing_required_parameter' });
    await acquire('test/model');
    expect((await acquire('')).lease.instance.id).toBe('test/model');
    await acquire('test/other');
    await expect(acquire('')).rejects.toThrow(/several are loaded \(test\/model, test\/other\)/);
  });

  it.each([
    ['an embedding model', 'test/embed', 'wrong_model_type'],
    ['an unknown model', 'test/nothing', 'model_not_found'],
    ['a format without a runtime', 'test/mlx', 'unsupported_format'],
  ])('refuses %s', async (_, identifier, code) => {
    const { acquire, ids } = setUp();
    await expect(acquire(identifier)).rejects.toMatchObject({ code });
    expect(ids()).toEqual([]);
  });

  it('rejects a context that the model does not support', async () => {
    const { acquire } = setUp();
    await expect(acquire('test/model', { contextLength: 4097 })).rejects.toThrow(
      /contextLength 4097 .* at most 4096/,
    );
  });

  it('loads nothing if loading on request is off', async () => {
    const { acquire, pool } = setUp({ loadsOnRequest: false });
    await expect(acquire()).rejects.toThrow(/hearth load test\/model/);
    await pool.load('test/model', {}, testContext());
    await expect(acquire()).resolves.toBeDefined();
    await expect(acquire('test/model', { contextLength: 1024 })).rejects.toMatchObject({
      code: 'model_not_found',
      field: 'contextLength',
      message: expect.stringMatching(
        /with a context of 1024 .*a context of \d+ tokens.*hearth load test\/model --context-length 1024/,
      ),
    });
  });

  it('answers 429 beyond slots and queue, including requests that wait for the load', async () => {
    const { acquire } = setUp({ queueCapacity: 1 });
    const admitted = [acquire(), acquire(), acquire()];
    await expect(acquire()).rejects.toMatchObject({ code: 'queue_full' });
    const [first] = await Promise.all(admitted.slice(0, 2));
    first?.close();
    await expect(admitted[2]).resolves.toBeDefined();
  });

  it('frees a slot once, even if released several times', async () => {
    const { acquire, pool } = setUp();
    const lease = await acquire();
    lease.close();
    lease.close();
    expect(pool.list()[0]?.activeRequests).toBe(0);
  });
});

describe('a load that fails', () => {
  it('fails all waiting requests, and the next request retries', async () => {
    const { launcher, acquire, ids } = setUp();
    launcher.onLaunch = async () => {
      throw new HearthError('corrupt_file', 'It is broken.');
    };
    const outcomes = await Promise.allSettled([acquire(), acquire(), acquire()]);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    expect(launcher.launchCount()).toBe(1);
    expect(ids()).toEqual([]);
    launcher.onLaunch = async () => {};
    await expect(acquire()).resolves.toBeDefined();
  });

  it('is cancelled when the last waiting request leaves', async () => {
    const { launcher, acquire, ids } = setUp();
    const loadSignal = deferred<AbortSignal>();
    launcher.onLaunch = (_, __, signal) => {
      loadSignal.resolve(signal);
      return new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      });
    };
    const one = new AbortController();
    const other = new AbortController();
    const waiting = [
      acquire('test/model', { signal: one.signal }),
      acquire('test/model', { signal: other.signal }),
    ];
    const settled = Promise.allSettled(waiting);
    const signal = await loadSignal.promise;
    one.abort(new Error('gone'));
    await expect(waiting[0]).rejects.toThrow('gone');
    expect(signal.aborted).toBe(false);
    other.abort(new Error('gone too'));
    await settled;
    expect(signal.aborted).toBe(true);
    await vi.waitFor(() => expect(ids()).toEqual([]));
  });
});

describe('memory', () => {
  const cacheOf = (bytes: number) => ({
    layerCount: 1,
    keyBytesPerToken: bytes,
    valueBytesPerToken: bytes,
    window: null,
    recurrentBytesPerSlot: 0,
  });

  it('halves the number of slots if that makes a model fit', async () => {
    const attention = cacheOf(5000);
    const setup = {
      library: libraryOf(modelEntry({ attention })),
      memoryLimitBytes: 100 * 1024 ** 2,
    };
    const { acquire, pool } = setUp({ ...setup, defaults: { contextLength: 2048, parallel: 8 } });
    await acquire();
    expect(pool.list()[0]?.config).toEqual({ contextLength: 2048, parallel: 2 });
    const other = setUp(setup);
    await expect(
      other.pool.load('test/model', { parallel: 8 }, testContext()),
    ).rejects.toMatchObject({
      code: 'out_of_memory',
    });
  });

  it('rejects a model that does not fit, with both numbers, and starts no process', async () => {
    const attention = cacheOf(2 ** 40);
    const { acquire, launcher } = setUp({ library: libraryOf(modelEntry({ attention })) });
    await expect(acquire()).rejects.toThrow(/needs about [\d.]+ TB, and [\d.]+ GB can be used/);
    await expect(acquire()).rejects.toMatchObject({ code: 'out_of_memory' });
    expect(launcher.launchCount()).toBe(0);
  });
});
