import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  openFrom,
  libraryOf,
  scriptedPoolWith,
  type ScriptedPoolOptions,
} from '../../../test/setup/instances/scripted-pool.ts';
import { deferred } from '../../../test/setup/deferred.ts';
import { modelEntry } from '../../../test/setup/models/model-entry.ts';
import { testContext } from '../../../test/setup/test-context.ts';
import { HearthError } from '../../kernel/errors/errors.ts';
import type { ModelLibrary } from '../../library/model.ts';
import type { EngineLoader } from './engine-loader.ts';
import { noMemory } from '../memory/estimate.ts';
import type { ServerEvent } from '../../kernel/events/server-event.ts';

const key = 'test/model';
const [bestVariant] = modelEntry().variants;
if (bestVariant === undefined) throw new Error('no variant');
const variants = [bestVariant, { ...bestVariant, id: 'q4_0' }];

/** A library whose models also have their second variant, `key@q4_0`. */
function libraryOfVariants(): ModelLibrary {
  const library = libraryOf(modelEntry({ variants }), modelEntry({ key: 'test/other', variants }));
  return {
    ...library,
    find: async (identifier) => {
      const [name = '', id] = identifier.split('@');
      const { model, variant } = await library.find(name);
      return { model, variant: model.variants.find((each) => each.id === id) ?? variant };
    },
  };
}

function setUp(options: Partial<ScriptedPoolOptions> = {}) {
  const events: ServerEvent[] = [];
  const publisher = { publish: (event: ServerEvent) => void events.push(event) };
  return {
    ...scriptedPoolWith({ library: libraryOfVariants(), events: publisher, ...options }),
    events,
  };
}

describe('an instance', () => {
  it('has the key of its model as its id, with the variant where that is not the best one', async () => {
    const { pool } = setUp();
    for (const name of [key, `${key}@q4_0`, `${key}@q4_0`]) {
      await openFrom(pool, name, { contextLength: 256 * (pool.list().length + 1) });
    }
    expect(pool.list().map(({ id }) => id)).toEqual([key, `${key}@q4_0`, `${key}@q4_0:2`]);
  });
});

describe('the idle time', () => {
  afterEach(() => void vi.useRealTimers());

  it('begins with the end of the last request', async () => {
    const { pool, events } = setUp();
    const first = await openFrom(pool, key, { ttlSeconds: 1 });
    const second = await openFrom(pool, key);
    vi.useFakeTimers();
    first.close();
    vi.advanceTimersByTime(10_000);
    expect(events.filter(({ type }) => type === 'instance.evicted')).toEqual([]);
    second.close();
    vi.advanceTimersByTime(999);
    expect(events.filter(({ type }) => type === 'instance.evicted')).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(events.filter(({ type }) => type === 'instance.evicted')).toMatchObject([
      { instanceId: key, cause: 'idle', reason: `${key} was idle for 1 s.` },
    ]);
  });

  it('is not prolonged by a second release of the same request', async () => {
    const { pool, events } = setUp();
    const lease = await openFrom(pool, key, { ttlSeconds: 10 });
    vi.useFakeTimers();
    lease.close();
    vi.advanceTimersByTime(9000);
    lease.close();
    vi.advanceTimersByTime(1000);
    expect(events.filter(({ type }) => type === 'instance.evicted')).toHaveLength(1);
  });

  it('may have more days than a timer counts', async () => {
    const { pool, events } = setUp();
    const dayMs = 24 * 3600_000;
    const lease = await openFrom(pool, key, { ttlSeconds: (60 * dayMs) / 1000 });
    vi.useFakeTimers();
    lease.close();
    vi.advanceTimersByTime(60 * dayMs - 1);
    expect(events.filter(({ type }) => type === 'instance.evicted')).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(events.filter(({ type }) => type === 'instance.evicted')).toHaveLength(1);
  });
});

describe('a load that fails', () => {
  it('is reported with a message that tells nothing of the server, and can be tried again', async () => {
    const { pool, events, launcher, loader } = setUp();
    const works = loader.load.bind(loader);
    loader.load = async () => {
      throw new Error('/secret/path');
    };
    await expect(openFrom(pool, key)).rejects.toMatchObject({
      code: 'internal',
      message: `Loading ${key} failed; the log of the server has the details.`,
    });
    expect(events.filter(({ type }) => type === 'instance.failed')).toMatchObject([
      { instanceId: key, error: { code: 'internal' } },
    ]);
    expect(pool.list()).toEqual([]);
    loader.load = works;
    expect(await openFrom(pool, key)).toMatchObject({ lease: { instance: { id: key } } });
    expect(launcher.launchCount()).toBe(1);
  });

  it('passes on an error of the domain', async () => {
    const { pool, loader } = setUp();
    const failure = new HearthError('corrupt_file', 'The file is damaged.');
    loader.load = async () => {
      throw failure;
    };
    await expect(openFrom(pool, key)).rejects.toBe(failure);
  });
});

it('says that no runtime has the format of a model', async () => {
  const library = libraryOf(modelEntry({ format: 'mlx' }));
  const { pool } = setUp({ library });
  await expect(openFrom(pool, key)).rejects.toMatchObject({
    code: 'unsupported_format',
    message: 'No runtime for mlx models runs on this machine.',
  });
});

it('has less memory to use while a model is loaded by name, and all of it afterwards', async () => {
  const { pool } = setUp({
    memoryLimitBytes: 2 ** 40,
    availableMemory: () => ({ bytes: 2 ** 40, includesMappedFiles: false }),
  });
  const before = pool.headroom().usableBytes;
  const { id } = await pool.load(key, {}, testContext());
  const { estimatedBytes } = pool.list()[0] ?? { estimatedBytes: 0 };
  expect(estimatedBytes).toBeGreaterThan(0);
  expect(pool.headroom().usableBytes).toBe(before - estimatedBytes);
  await pool.unload(id);
  expect(pool.headroom().usableBytes).toBe(before);
});

it.each([
  ['maps the weights from their file', false, 800],
  ['copies the weights', true, 1000],
])(
  'sees memory as available that a loaded model has, if its engine %s',
  async (_, copiesWeights, bytes) => {
    const gguf = setUp().loader;
    const loader: EngineLoader = {
      format: 'mlx',
      copiesWeights,
      estimate: () => ({ ...noMemory, weightsBytes: 200, processBytes: 100, totalBytes: 300 }),
      load: (...load) => gguf.load(...load),
    };
    const { pool } = setUp({
      library: libraryOf(modelEntry({ format: 'mlx' })),
      loaders: [loader],
      // The system counts the pages of mapped files as available.
      availableMemory: () => ({ bytes: 1000, includesMappedFiles: true }),
    });
    await pool.load(key, {}, testContext());
    expect(pool.headroom().usableBytes).toBe(bytes);
  },
);

it('has less memory to use while a pinned model is loaded', async () => {
  const { pool } = setUp({
    memoryLimitBytes: 2 ** 40,
    availableMemory: () => ({ bytes: 2 ** 40, includesMappedFiles: false }),
    pinned: [key],
  });
  const before = pool.headroom().usableBytes;
  (await openFrom(pool, key)).close();
  expect(pool.headroom().usableBytes).toBeLessThan(before);
});

it('unloads an instance once, also if the server stops meanwhile', async () => {
  const { pool, launcher, events } = setUp();
  await pool.load(key, {}, testContext());
  const stopped = deferred<void>();
  launcher.onStop = () => stopped.promise;
  const unloading = pool.unload(key);
  const closing = pool.close();
  stopped.resolve();
  await Promise.all([unloading, closing]);
  expect(events.filter(({ type }) => type === 'instance.unloaded')).toHaveLength(1);
});

it('fails the request that finds a model replaced by one that has no room', async () => {
  let fingerprint = 'a';
  let totalBytes = 10;
  const { pool } = setUp({
    fingerprint: async () => fingerprint,
    estimate: () => ({ ...noMemory, totalBytes }),
    memoryLimitBytes: 100,
  });
  await pool.load(key, {}, testContext());
  fingerprint = 'b';
  totalBytes = 1000;
  await expect(openFrom(pool, key)).rejects.toMatchObject({ code: 'out_of_memory' });
  await vi.waitFor(() => expect(pool.list()).toEqual([]));
});

it('keeps the other models and variants where the files of one are replaced', async () => {
  const versions: Record<string, string> = {};
  const { pool, launcher } = setUp({
    fingerprint: async ({ model, variant }) => {
      const name = `${model.key}@${variant.id}`;
      return `${name} ${versions[name] ?? 'old'}`;
    },
  });
  const names = [key, `${key}@q4_0`, 'test/other@q4_0'];
  const use = async (name: string) => (await openFrom(pool, name)).close();
  for (const name of [...names, ...names]) await use(name);
  expect(launcher.launchCount()).toBe(3);
  versions[`${key}@q4_0`] = 'new';
  await use(key);
  await use('test/other@q4_0');
  expect(launcher.launchCount()).toBe(3);
  await use(`${key}@q4_0`);
  expect(launcher.launchCount()).toBe(4);
  await vi.waitFor(() => expect(pool.list()).toHaveLength(3));
  expect(pool.list().map(({ id }) => id)).toEqual([key, 'test/other@q4_0', `${key}@q4_0`]);
});

it('keeps a model whose files could not be read when it was loaded', async () => {
  let fingerprint: string | undefined;
  const { pool, launcher } = setUp({ fingerprint: async () => fingerprint });
  (await openFrom(pool, key)).close();
  fingerprint = 'a';
  (await openFrom(pool, key)).close();
  expect(launcher.launchCount()).toBe(1);
});

it('loads a replaced model once, although several requests notice it', async () => {
  let fingerprint = 'a';
  const { pool, launcher } = setUp({ fingerprint: async () => fingerprint });
  await pool.load(key, {}, testContext());
  fingerprint = 'b';
  await Promise.all([openFrom(pool, key), openFrom(pool, key)]);
  expect(launcher.launchCount()).toBe(2);
  expect(pool.list()).toHaveLength(1);
});

it('uses another variant of a replaced model that no longer has the loaded one', async () => {
  let fingerprint = 'a';
  const library = libraryOfVariants();
  const { pool } = setUp({
    fingerprint: async () => fingerprint,
    library: {
      ...library,
      find: async (identifier) => {
        if (fingerprint === 'b' && identifier.includes('@')) {
          throw new HearthError('model_not_found', 'No such variant.');
        }
        return library.find(identifier);
      },
    },
  });
  await pool.load(`${key}@q4_0`, { identifier: 'mine' }, testContext());
  fingerprint = 'b';
  await openFrom(pool, 'mine');
  expect(pool.list().map(({ selection }) => selection.variant.id)).toEqual([bestVariant.id]);
});

it('loads a replaced model again only if it was loaded by name', async () => {
  let fingerprint = 'a';
  const { pool, launcher, events } = setUp({ fingerprint: async () => fingerprint });
  (await openFrom(pool, key)).close();
  fingerprint = 'b';
  (await openFrom(pool, key)).close();
  expect(launcher.launchCount()).toBe(2);
  expect(pool.list()).toMatchObject([{ id: key, isExplicit: false }]);
  expect(events.filter(({ type }) => type === 'instance.evicted')).toMatchObject([
    { cause: 'replaced', reason: `The files of ${key} were replaced.` },
  ]);
  await pool.unload(key);
  await pool.load(key, {}, testContext());
  fingerprint = 'c';
  (await openFrom(pool, key)).close();
  expect(launcher.launchCount()).toBe(4);
  expect(pool.list()).toMatchObject([{ id: key, isExplicit: true }]);
});
