import { tmpdir } from 'node:os';
import { describe, expect, it } from 'vitest';
import { modelEntry } from '../../../test/setup/models/model-entry.ts';
import type { EngineLauncher, LaunchSpec } from '../launch/launch.ts';
import type { RuntimeManager } from '../runtimes/runtime.ts';
import type { InstanceConfig } from './load-options.ts';
import type { ModelEntry } from '../../library/model.ts';
import type { CacheLaunch, StateCache } from '../states/state-cache.ts';
import { GgufLoader } from './gguf-loader.ts';

const attention = {
  layerCount: 1,
  keyBytesPerToken: 100,
  valueBytesPerToken: 100,
  recurrentBytesPerSlot: 0,
  window: null,
};

const warm: CacheLaunch = {
  slotFolder: '/slots',
  replacesPromptCache: true,
  discard: async () => {},
  attach: async (handle) => handle,
};

function setUp({
  model = modelEntry({ attention }),
  version = 'b11549',
  resolve = async () => ({ name: 'llama.cpp-linux-x64-cpu', version, command: 'llama-server' }),
  isPrepared = true,
  keepsStates = true,
  prepare = async () => (isPrepared ? warm : undefined),
}: {
  model?: ModelEntry;
  version?: string;
  resolve?: () => Promise<unknown>;
  isPrepared?: boolean;
  keepsStates?: boolean;
  prepare?: StateCache['prepare'];
} = {}) {
  const specs: LaunchSpec[] = [];
  const loader = new GgufLoader({
    runtimes: { resolve } as unknown as RuntimeManager,
    launcher: {
      launch: async (spec: LaunchSpec) => {
        specs.push(spec);
        throw new Error('launched');
      },
    } as unknown as EngineLauncher,
    stateCache: keepsStates ? { prepare } : undefined,
    kvCacheTypes: { k: 'f16', v: 'f16' },
    threads: undefined,
    gpuLayers: undefined,
    templateFolder: tmpdir(),
    promptCacheMiB: 0,
  });
  const [variant] = model.variants;
  if (variant === undefined) throw new Error('no variant');
  const selection = { model, variant };
  /** Number of contexts in the cache of a load with this number of slots, if memory suffices for two contexts. */
  async function contextsOf(parallel: number): Promise<number> {
    const config = { contextLength: 4096, parallel, cacheContexts: Math.min(2, parallel) };
    const spec = { instanceId: 'test', selection, config, estimatedBytes: 0 };
    await expect(loader.load(spec, new AbortController().signal, () => {})).rejects.toThrow(
      'launched',
    );
    return specs.at(-1)?.sharedContexts ?? parallel;
  }
  const estimate = (parallel: number, changes: Partial<InstanceConfig> = {}) =>
    loader.estimate(selection, { contextLength: 4096, parallel, ...changes }).kvCacheBytes;
  return { loader, contextsOf, estimate, selection, specs };
}

describe('the cache of a GGUF model', () => {
  it('holds as many contexts as the load says, and the estimate follows', async () => {
    const { contextsOf, estimate, specs } = setUp();
    const contexts: number[] = [];
    for (const parallel of [1, 2, 4, 8]) contexts.push(await contextsOf(parallel));
    expect(contexts).toEqual([1, 2, 2, 2]);
    const two = { cacheContexts: 2 };
    expect([estimate(2, two), estimate(4, two)]).toEqual([estimate(1) * 2, estimate(1) * 2]);
    // The slots share the cache even if it has a context for each of them.
    expect(specs.map(({ sharedContexts }) => sharedContexts)).toEqual([1, 2, 2, 2]);
  });

  it('restores the states of an instance with another number of contexts', async () => {
    const settings: unknown[] = [];
    const { loader, selection } = setUp({
      prepare: async (facts) => {
        settings.push(facts.settings);
        return undefined;
      },
    });
    for (const cacheContexts of [4, 2]) {
      const config = { contextLength: 4096, parallel: 4, cacheContexts };
      const spec = { instanceId: 'test', selection, config, estimatedBytes: 0 };
      const load = loader.load(spec, new AbortController().signal, () => {});
      await expect(load).rejects.toThrow('launched');
    }
    expect(settings[1]).toEqual(settings[0]);
    expect(settings[0]).toMatchObject({ sharesCache: true });
  });

  it('holds one for each slot where Hearth does not choose and empty the slots', async () => {
    expect(await setUp({ isPrepared: false }).contextsOf(4)).toBe(4);
    expect(await setUp({ version: 'b10566' }).contextsOf(4)).toBe(4);
    expect(await setUp({ version: 'unknown' }).contextsOf(4)).toBe(4);
    expect(await setUp({ version: 'b10808' }).contextsOf(4)).toBe(4);
    expect(await setUp({ version: 'b11549-custom' }).contextsOf(4)).toBe(4);
    expect(await setUp({ version: 'web11549' }).contextsOf(4)).toBe(4);
    const older = setUp({ version: 'b10566' });
    await older.loader.know();
    expect(older.estimate(4, { cacheContexts: 2 })).toBe(4 * older.estimate(1));
    const stateless = setUp({ keepsStates: false });
    expect(stateless.estimate(4)).toBe(4 * stateless.estimate(1));
    const { estimate, selection } = setUp();
    expect(estimate(4, { draft: selection })).toBe(4 * estimate(1, { draft: selection }));
    const window = { tokens: 512, keyBytesPerToken: 100, valueBytesPerToken: 100 };
    const sliding = setUp({ model: modelEntry({ attention: { ...attention, window } }) });
    expect(await sliding.contextsOf(4)).toBe(4);
    expect(sliding.estimate(4)).toBe(4 * sliding.estimate(1));
  });

  it('is planned as that of the recommended runtime if the runtime is not usable', async () => {
    const resolve = () => Promise.reject(new Error('engine.llamaServer is not an executable file'));
    const { loader, estimate } = setUp({ resolve });
    await loader.know();
    expect(estimate(4, { cacheContexts: 2 })).toBe(2 * estimate(1));
  });
});
