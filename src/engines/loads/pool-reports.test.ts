import { afterEach, describe, expect, it, vi } from 'vitest';
import { collect } from '../../../test/setup/collect.ts';
import { deferred } from '../../../test/setup/deferred.ts';
import {
  openFrom,
  libraryOf,
  scriptedPoolWith,
  type ScriptedPoolOptions,
} from '../../../test/setup/instances/scripted-pool.ts';
import { modelEntry } from '../../../test/setup/models/model-entry.ts';
import { testContext } from '../../../test/setup/test-context.ts';
import type { HearthError } from '../../kernel/errors/errors.ts';
import type { Engines } from '../engines.ts';
import type { LaunchSpec } from '../launch/launch.ts';
import { createLogger } from '../../telemetry/logger.ts';
import type { RequestContext } from '../../kernel/request/request-context.ts';
import type { EngineLoader } from './engine-loader.ts';
import type { ModelTarget } from './open-request.ts';

/** Tests the pool's log and its error messages. */

const models = [
  modelEntry(),
  modelEntry({ key: 'test/other' }),
  modelEntry({ key: 'test/embed', type: 'embeddings' }),
  modelEntry({ key: 'test/mlx', format: 'mlx' }),
];

function setUp(changes: Partial<ScriptedPoolOptions> = {}) {
  const lines: Record<string, unknown>[] = [];
  const write = (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>);
  const { pool, launcher } = scriptedPoolWith({
    library: libraryOf(...models),
    logger: createLogger('info', { write }),
    ...changes,
  });
  const linesOf = (msg: string) => lines.filter((line) => line['msg'] === msg);
  const acquire = (model = 'test/model') => openFrom(pool, model);
  return { pool, launcher, linesOf, acquire };
}

/** Opens a session and waits until it is ready. */
async function openReady(pool: Engines, target: ModelTarget, context: RequestContext) {
  const session = pool.open({ target }, context);
  await collect(session.ready());
}

const described = async (failing: Promise<unknown>) => {
  const error = (await failing.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )) as HearthError;
  const { code, field } = error;
  return { code, field, text: error.describe((name) => `<${name}>`) };
};

describe('a request that names no model', () => {
  it('is told that none is loaded, or which are', async () => {
    const { pool, acquire } = setUp();
    await pool.load('test/embed', {}, testContext());
    const required = { code: 'missing_required_parameter', field: 'model' };
    expect(await described(pool.resolve('', 'generation'))).toEqual({
      ...required,
      text: '"<model>" is required: no model for this is loaded.',
    });
    const lease = await acquire();
    await pool.load('test/model', {}, testContext());
    expect(await pool.resolve(undefined, 'generation')).toMatchObject({
      selection: { model: { key: 'test/model' } },
    });
    await acquire('test/other');
    expect(await described(pool.resolve('', 'generation'))).toEqual({
      ...required,
      text: '"<model>" is required: several are loaded (test/model, test/other).',
    });
    lease.close();
  });
});

describe('the record of a request', () => {
  const phasesOf = ({ record }: ReturnType<typeof testContext>) =>
    record.phases.map(({ subject, hasFailed, endMs }) => [
      subject.name,
      hasFailed,
      endMs !== undefined,
    ]);

  it('has the times that it waited for a slot and for a load', async () => {
    const { pool } = setUp();
    const target = await pool.resolve('test/model', 'generation');
    const [first, second] = [testContext(), testContext()];
    await openReady(pool, target, first);
    expect(phasesOf(first)).toEqual([
      ['queue', false, true],
      ['load', false, true],
    ]);
    await openReady(pool, target, second);
    expect(phasesOf(second)).toEqual([['queue', false, true]]);
  });

  it('says what failed', async () => {
    const { pool, launcher } = setUp();
    launcher.onLaunch = () => Promise.reject(new Error('broken'));
    const target = await pool.resolve('test/model', 'generation');
    const context = testContext();
    await expect(openReady(pool, target, context)).rejects.toMatchObject({ code: 'internal' });
    expect(phasesOf(context)).toEqual([
      // The wait for a place did not fail.
      ['queue', false, true],
      ['load', true, true],
    ]);
    const full = setUp({ queueCapacity: 0, defaults: { contextLength: 2048, parallel: 1 } });
    await full.acquire();
    const refused = testContext();
    await expect(openReady(full.pool, target, refused)).rejects.toMatchObject({
      code: 'queue_full',
    });
    expect(phasesOf(refused)).toEqual([['queue', true, true]]);
  });
});

describe('the log', () => {
  afterEach(() => void vi.useRealTimers());

  it('has the time and the figures of a load', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    const { pool, launcher, linesOf } = setUp();
    vi.advanceTimersByTime(5000);
    launcher.onLaunch = async () => void vi.advanceTimersByTime(3000);
    const summary = await pool.load('test/model', {}, testContext());
    expect(summary.loadTimeSeconds).toBe(3);
    expect(linesOf('model loaded')).toMatchObject([
      { level: 'info', instance: 'test/model', loadTimeSeconds: 3, pid: 1 },
    ]);
  });

  it('has the error of a load, and clients that of the server', async () => {
    const { launcher, linesOf, acquire } = setUp();
    const fault = new TypeError('x is undefined');
    launcher.onLaunch = () => Promise.reject(fault);
    await expect(acquire()).rejects.toMatchObject({
      code: 'internal',
      message: 'Loading test/model failed; the log of the server has the details.',
      cause: fault,
    });
    expect(linesOf('model not loaded')).toMatchObject([
      { level: 'warn', instance: 'test/model', err: { message: 'x is undefined' } },
    ]);
  });

  it('has the reason of a crash', async () => {
    const { pool, launcher, linesOf, acquire } = setUp();
    const lease = await acquire();
    launcher.processes[0]?.crash('out of paper');
    await vi.waitFor(() => expect(lease.lease.context.signal.aborted).toBe(true));
    expect(lease.lease.context.signal.reason).toMatchObject({
      code: 'crashed',
      message: 'The engine of test/model stopped: out of paper',
    });
    expect(linesOf('engine crashed')).toMatchObject([
      { level: 'error', instance: 'test/model', signal: 'SIGSEGV', reason: 'out of paper' },
    ]);
    await pool.close();
    expect(linesOf('engine crashed')).toHaveLength(1);
  });

  it('says why an idle model is unloaded', async () => {
    const roomy = setUp({ maxLoaded: 1 });
    (await roomy.acquire()).close();
    await roomy.acquire('test/other');
    expect(roomy.linesOf('idle model unloaded')).toMatchObject([
      {
        level: 'info',
        instance: 'test/model',
        reason: 'test/model was unloaded to make room for another model.',
      },
    ]);

    const last = setUp({ keepsOnlyLast: true });
    (await last.acquire()).close();
    const busy = await last.acquire('test/other');
    await last.acquire();
    busy.close();
    await vi.waitFor(() => expect(last.pool.list()).toHaveLength(1));
    expect(last.linesOf('idle model unloaded').map(({ reason }) => reason)).toEqual([
      'test/model was replaced by test/other.',
      'test/other was replaced by another model.',
    ]);
  });

  it('says that an idle model was unloaded after its time, and that its engine did not stop', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { launcher, linesOf, acquire } = setUp({ defaultTtlSeconds: 7 });
    launcher.onStop = () => Promise.reject(new Error('still there'));
    (await acquire()).close();
    vi.advanceTimersByTime(6999);
    expect(linesOf('idle model unloaded')).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(linesOf('idle model unloaded')).toMatchObject([
      { reason: 'test/model was idle for 7 s.' },
    ]);
    await vi.waitFor(() =>
      expect(linesOf('engine not stopped')).toMatchObject([
        { level: 'error', instance: 'test/model', err: { message: 'still there' } },
      ]),
    );
  });
});

describe('a load', () => {
  /** A loader whose engine becomes ready when `ready` is resolved, even if the signal is aborted. */
  const slowLoader = () => {
    const { launcher } = scriptedPoolWith({ library: libraryOf() });
    const [begun, ready] = [deferred<void>(), deferred<void>()];
    const loader: EngineLoader = {
      format: 'mlx',
      load: async () => {
        begun.resolve();
        await ready.promise;
        const spec = { contextLength: 512 } as LaunchSpec;
        return {
          ...(await launcher.launch(spec, new AbortController().signal)),
          stats: () => Promise.reject(new Error('no figures')),
        };
      },
    };
    return { loader, launcher, begun: begun.promise, ready };
  };

  it('needs no figures of the engine', async () => {
    const { loader, ready } = slowLoader();
    const { pool, linesOf } = setUp({ loaders: [loader] });
    ready.resolve();
    await pool.load('test/mlx', {}, testContext());
    expect(linesOf('model loaded')).toHaveLength(1);
    expect(linesOf('model loaded')[0]).not.toHaveProperty('pid');
  });

  it('that was cancelled ends the engine that comes too late', async () => {
    const { loader, launcher, begun, ready } = slowLoader();
    const { pool, linesOf } = setUp({ loaders: [loader] });
    const gone = new AbortController();
    const loading = pool.load('test/mlx', {}, testContext({ signal: gone.signal }));
    await begun;
    gone.abort(new Error('gone'));
    await expect(loading).rejects.toThrow('gone');
    expect(pool.list()).toEqual([]);
    ready.resolve();
    await vi.waitFor(() => expect(launcher.processes[0]?.isStopped()).toBe(true));
    expect(linesOf('model loaded')).toEqual([]);
    expect(pool.list()).toEqual([]);
  });

  it('is rejected by a pool that is closed', async () => {
    const { pool, launcher } = setUp();
    await pool.close();
    await expect(pool.load('test/model', {}, testContext())).rejects.toMatchObject({
      code: 'shutting_down',
      message: 'The server is stopping.',
    });
    expect(launcher.launchCount()).toBe(0);
  });

  it('that is only estimated is checked, even if it asks for none', async () => {
    const { pool } = setUp({ memoryLimitBytes: 1 });
    expect(await pool.estimate('test/model', { isForced: true })).toMatchObject({
      fits: false,
      usableBytes: 1,
    });
  });

  it('is estimated as one by name, which replaces no pinned model', async () => {
    const { pool, acquire } = setUp({ maxLoaded: 1, pinned: ['test/model'] });
    (await acquire()).close();
    expect(await pool.estimate('test/model', {})).toMatchObject({ fits: false });
    expect(await pool.estimate('test/other', {})).toMatchObject({ fits: false });
  });
});

describe('a lease', () => {
  it('is for the named instance unless the request needs another context', async () => {
    const { pool } = setUp();
    await pool.load('test/model', {}, testContext());
    await pool.load('test/model', { contextLength: 1024 }, testContext());
    const target = await pool.resolve('test/model:2', 'generation');
    const idFor = (contextLength: number) =>
      pool.open({ target, contextLength }, testContext()).lease.instance.id;
    expect(idFor(1024)).toBe('test/model:2');
    expect(idFor(1000)).toBe('test/model:2');
    expect(idFor(2048)).toBe('test/model');
    expect(idFor(512)).toBe('test/model:3');
  });

  it('gives the engine, its capabilities and the model', async () => {
    const { acquire } = setUp();
    const lease = await acquire();
    // The scripted engine counts each character as a token.
    expect(await lease.countTokens('abc')).toBe(3);
    expect(lease.lease.loaded.capabilities).toMatchObject({
      runtimeName: 'scripted',
      contextLength: 2048,
    });
    expect(lease.lease.instance.selection).toMatchObject({
      model: { key: 'test/model' },
      variant: { id: 'q8_0' },
    });
    expect(lease.lease.instance.id).toBe('test/model');
  });
});

describe('unloading', () => {
  it('by the key of a model leaves the instances of others', async () => {
    const { pool } = setUp();
    await pool.load('test/model', {}, testContext());
    await pool.load('test/model', { contextLength: 1024 }, testContext());
    await pool.load('test/other', {}, testContext());
    await pool.unload('test/model');
    expect(await pool.unload('test/model')).toBe('test/model:2');
    await expect(pool.unload('test/model')).rejects.toMatchObject({ code: 'instance_not_found' });
    expect(pool.list().map(({ id }) => id)).toEqual(['test/other']);
  });

  it('names the instances that are loaded', async () => {
    const { pool, acquire } = setUp();
    await expect(pool.unload('nothing')).rejects.toMatchObject({
      code: 'instance_not_found',
      field: 'instanceId',
      message: 'No loaded instance has the id "nothing". No instance is loaded.',
    });
    await acquire();
    await acquire('test/other');
    await expect(pool.unload('nothing')).rejects.toThrow('Loaded: test/model, test/other.');
  });

  it('tells the requests of the instance', async () => {
    const { pool, acquire } = setUp();
    const lease = await acquire();
    expect(await pool.unload('test/model')).toBe('test/model');
    expect(lease.lease.context.signal.reason).toMatchObject({
      code: 'unloaded',
      message: 'test/model was unloaded while it worked on this request.',
    });
  });
});
