import { existsSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { describe, expect, it } from 'vitest';
import { modelSelection, smallDimensions } from '../../../test/setup/models/model-entry.ts';
import type { GpuBudget } from '../../platform/machine/gpu-devices.ts';
import type { EngineHandle } from '../engine.ts';
import type { EngineProcess, LaunchSpec } from '../launch/launch.ts';
import type { Runtime, RuntimeManager } from '../runtimes/runtime.ts';
import type { AdapterEntry } from '../../library/adapter.ts';
import type { ModelSelection } from '../../library/model.ts';
import type { StateCache } from '../states/state-cache.ts';
import { GgufLoader, type GgufLoaderOptions } from './gguf-loader.ts';
import type { InstanceConfig } from './load-options.ts';
import { loadTimeoutMs } from './load-timeout.ts';
import { estimateMemory } from '../memory/estimate.ts';

const runtime: Runtime = {
  name: 'scripted',
  version: '7',
  supportedFormats: ['gguf'],
  source: 'setting',
  command: '/bin/engine',
  leadingArguments: [],
};
const config: InstanceConfig = { contextLength: 1024, parallel: 2 };
const { signal } = new AbortController();

const attention = {
  layerCount: 4,
  window: null,
  recurrentBytesPerSlot: 0,
  keyBytesPerToken: 512,
  valueBytesPerToken: 512,
};

function setUp(
  options: Partial<GgufLoaderOptions> = {},
  {
    isInstalled = true,
    launchError,
    onLaunch,
  }: {
    isInstalled?: boolean;
    launchError?: Error;
    onLaunch?: (spec: LaunchSpec) => void;
  } = {},
) {
  const launched: LaunchSpec[] = [];
  const installed: unknown[] = [];
  const handle = { engine: {} } as EngineProcess;
  const runtimes = {
    resolve: async (format: string) => (isInstalled && format === 'gguf' ? runtime : undefined),
    install: async (installOptions: unknown) => {
      installed.push(installOptions);
      return runtime;
    },
  } as unknown as RuntimeManager;
  const loader = new GgufLoader({
    runtimes,
    launcher: {
      launch: async (spec) => {
        launched.push(spec);
        onLaunch?.(spec);
        if (launchError !== undefined) throw launchError;
        return handle;
      },
      close: async () => {},
    },
    threads: undefined,
    gpuLayers: undefined,
    kvCacheTypes: { k: 'q8_0', v: 'q4_0' },
    templateFolder: tmpdir(),
    promptCacheMiB: 64,
    ...options,
  });
  const load = (changes: Partial<InstanceConfig> = {}, selection = modelSelection()) =>
    loader.load(
      { instanceId: 'i', selection, config: { ...config, ...changes }, estimatedBytes: 123 },
      signal,
      () => {},
    );
  return { loader, load, launched, installed, handle };
}

function warmStatesOf(replacesPromptCache: boolean) {
  const prepared: Parameters<StateCache['prepare']>[0][] = [];
  const attached = { engine: {} } as EngineHandle;
  const state = { discards: 0 };
  const stateCache: Pick<StateCache, 'prepare'> = {
    prepare: async (facts) => {
      prepared.push(facts);
      return {
        slotFolder: '/slots',
        replacesPromptCache,
        discard: async () => void (state.discards += 1),
        attach: async () => attached,
      };
    },
  };
  return { stateCache, prepared, attached, state };
}

describe('a launch', () => {
  it('may take as long as a slow disk needs for the model, its draft model and its adapters', async () => {
    const { load, launched } = setUp();
    const ofSize = (sizeBytes: number): ModelSelection => {
      const { model, variant } = modelSelection();
      return { model, variant: { ...variant, sizeBytes } };
    };
    const adapter = { key: 'test/adapter', sizeBytes: 3e9 } as AdapterEntry;
    await load({ draft: ofSize(2e9), attachedAdapters: [adapter] }, ofSize(80e9));
    expect(launched[0]?.loadTimeoutMs).toBe(loadTimeoutMs(85e9));
  });

  it('has the settings of the server and of the load', async () => {
    const { load, launched, installed, handle } = setUp({ threads: 3, gpuLayers: 7 });
    const selection = modelSelection({
      projectorPath: '/models/mmproj.gguf',
      architecture: 'qwen2',
    });
    expect(await load({ hasFlashAttention: true }, selection)).toBe(handle);
    expect(launched).toEqual([
      {
        runtime,
        modelPath: selection.variant.path,
        architecture: 'qwen2',
        purpose: 'generation',
        contextLength: 1024,
        parallel: 2,
        hasFlashAttention: true,
        projectorPath: '/models/mmproj.gguf',
        threads: 3,
        gpuLayers: 7,
        kvCacheTypes: { k: 'q8_0', v: 'q4_0' },
        promptCacheMiB: 64,
        expectedBytes: 123,
        loadTimeoutMs: loadTimeoutMs(selection.variant.sizeBytes),
      },
    ]);
    expect(installed).toEqual([]);
  });

  it('prefers the threads and the type of the cache of the load, and passes a chat template as a file', async () => {
    const templates: string[] = [];
    const { load, launched } = setUp(
      { threads: 3 },
      { onLaunch: (spec) => templates.push(readFileSync(spec.chatTemplatePath ?? '', 'utf8')) },
    );
    await load({ threads: 5, kvCacheType: 'f32', chatTemplate: '{{ messages }}' });
    expect(launched).toMatchObject([{ threads: 5, kvCacheTypes: { k: 'f32', v: 'f32' } }]);
    expect(templates).toEqual(['{{ messages }}']);
    expect(existsSync(launched[0]?.chatTemplatePath ?? '')).toBe(false);
  });

  it('prefers the layers on the GPU that the load asks for', async () => {
    const { load, launched } = setUp({ gpuLayers: 7 });
    await load({ gpuLayers: 0 });
    expect(launched).toMatchObject([{ gpuLayers: 0 }]);
  });

  it('installs a runtime first if there is none, and reports that', async () => {
    const onInstallProgress = () => {};
    const { load, launched, installed } = setUp({ onInstallProgress }, { isInstalled: false });
    await load();
    expect(installed).toEqual([{ signal, onProgress: onInstallProgress }]);
    expect(launched).toMatchObject([{ runtime }]);
  });

  it.each<[string, Partial<InstanceConfig>, unknown, ModelSelection?]>([
    ['no draft by default', {}, undefined],
    ['no draft', { speculation: 'off' }, undefined],
    ['repeated text', { speculation: 'ngram' }, { kind: 'ngram' }],
    [
      'layers of the model',
      { speculation: 'mtp' },
      { kind: 'mtp' },
      modelSelection({ dimensions: { ...smallDimensions, predictingLayers: 1 } }),
    ],
    [
      'a draft model',
      { speculation: 'ngram', draft: modelSelection({ key: 'test/draft' }) },
      { kind: 'draft', modelPath: '/models/test/model/model-q8_0.gguf' },
    ],
  ])('speculates with %s', async (_, changes, speculation, selection) => {
    const { load, launched } = setUp();
    await load(changes, selection);
    expect(launched[0]?.speculation).toEqual(speculation);
  });
});

describe('states of slots', () => {
  it('are kept in a folder, in addition to the prompts that the engine keeps', async () => {
    const { stateCache, prepared, attached } = warmStatesOf(false);
    const { load, launched } = setUp({ stateCache });
    expect(await load()).toBe(attached);
    expect(launched).toMatchObject([{ slotFolder: '/slots', promptCacheMiB: 64 }]);
    expect(prepared).toMatchObject([
      {
        slotCount: 2,
        maxMemoryBytes: 64 * 1024 * 1024,
        settings: { contextLength: 1024, runtime: ['scripted', '7', '/bin/engine'] },
      },
    ]);
  });

  it('replace the prompts that the engine keeps where they are in memory', async () => {
    const { stateCache } = warmStatesOf(true);
    const { load, launched } = setUp({ stateCache });
    await load();
    expect(launched).toMatchObject([{ promptCacheMiB: 0 }]);
  });

  it('do not depend on what changes no state', async () => {
    const { stateCache, prepared } = warmStatesOf(false);
    await setUp({ stateCache }).load({ speculation: 'ngram' });
    await setUp({ stateCache }).load();
    await setUp({ stateCache, kvCacheTypes: { k: 'f16', v: 'f16' } }).load();
    const [first, second, third] = prepared.map(({ settings }) => settings);
    expect(second).toEqual(first);
    expect(third).not.toEqual(first);
  });

  it('stay in idle slots up to 5 % of the weights, if the processor runs the model', async () => {
    const { stateCache, prepared } = warmStatesOf(true);
    const { load } = setUp({ stateCache, kvCacheTypes: { k: 'f16', v: 'q8_0' } });
    const { model, variant } = modelSelection({ attention });
    // The cache needs 512 + 272 bytes per token.
    const selection = { model, variant: { ...variant, sizeBytes: 1_568_000 } };
    await load({ gpuLayers: 0 }, selection);
    await load({}, selection);
    await load({ gpuLayers: 0 }, modelSelection({ attention: null }));
    expect(prepared.map(({ maxIdleTokens }) => maxIdleTokens)).toEqual([100, undefined, undefined]);
  });

  it('are not kept with a draft model, whose cache they lack', async () => {
    const { stateCache, prepared } = warmStatesOf(true);
    const { load, launched, handle } = setUp({ stateCache });
    expect(await load({ draft: modelSelection() })).toBe(handle);
    expect(prepared).toEqual([]);
    expect(launched[0]).not.toHaveProperty('slotFolder');
    expect(launched[0]?.promptCacheMiB).toBe(64);
  });

  it('are not kept where layers of the model may draft, whose cache they lack', async () => {
    const { stateCache, prepared } = warmStatesOf(true);
    const { load, loader } = setUp({ stateCache });
    const selection = modelSelection({ dimensions: { ...smallDimensions, predictingLayers: 1 } });
    await load({ speculation: 'mtp' }, selection);
    expect(prepared).toEqual([]);
    expect(loader.separatesAdapters(selection, { speculation: 'auto' })).toBe(false);
    await load({ speculation: 'ngram' }, selection);
    expect(prepared).toHaveLength(1);
  });

  it('are discarded if the engine does not start', async () => {
    const { stateCache, state } = warmStatesOf(false);
    const { load } = setUp({ stateCache }, { launchError: new Error('broken') });
    await expect(load()).rejects.toThrow('broken');
    expect(state.discards).toBe(1);
  });
});

it('launches the engine as the load was placed, which its states depend on only by the layers', async () => {
  const { stateCache, prepared } = warmStatesOf(false);
  const { loader, launched } = setUp({ stateCache, gpuLayers: 99 });
  const selection = modelSelection({ attention });
  const gpu = (id: string, bytes: number) => ({ id, name: 'GPU', isUnified: false, bytes });
  const splitConfig = { ...config, splitMode: 'row', mainGpu: 'CUDA1' } as const;
  const loadOn = (...gpus: readonly GpuBudget[]) => {
    const estimate = loader.estimate(selection, splitConfig);
    const placement = loader.place(selection, splitConfig, estimate, gpus);
    const load = { instanceId: 'i', selection, config: splitConfig, placement, estimatedBytes: 1 };
    return loader.load(load, signal, () => {});
  };
  await loadOn(gpu('CUDA0', 2 ** 30), gpu('CUDA1', 2 ** 30));
  await loadOn(gpu('CUDA0', 2 ** 30), gpu('CUDA1', 2 ** 31));
  expect(launched[0]).toMatchObject({
    gpuLayers: 5,
    cpuExpertLayers: 0,
    gpus: {
      devices: [
        { id: 'CUDA0', layers: 2 },
        { id: 'CUDA1', layers: 3 },
      ],
      splitMode: 'row',
      mainGpu: 'CUDA1',
    },
  });
  expect(launched[1]?.gpus).not.toEqual(launched[0]?.gpus);
  expect(prepared[1]?.settings).toEqual(prepared[0]?.settings);
});

it('refuses quantized values in the cache without flash attention', () => {
  const { loader } = setUp({ kvCacheTypes: { k: 'q8_0', v: 'f16' } });
  const refuses = (requested: Partial<InstanceConfig>) => () =>
    loader.assertLoadable(modelSelection(), requested);
  const off = { hasFlashAttention: false };
  expect(refuses({ ...off, cacheTypeK: 'q4_0' })).not.toThrow();
  expect(refuses({ cacheTypeV: 'q8_0' })).not.toThrow();
  expect(refuses({ ...off, cacheTypeV: 'bf16', kvCacheType: 'q8_0' })).not.toThrow();
  for (const type of [{ cacheTypeV: 'q8_0' }, { kvCacheType: 'q5_1' }] as const) {
    expect(refuses({ ...off, ...type })).toThrow(
      expect.objectContaining({ code: 'invalid_value', field: 'hasFlashAttention' }),
    );
  }
});

it('estimates the cache of a draft model with its own types', () => {
  const { loader } = setUp();
  const selection = modelSelection({ attention });
  const alone = loader.estimate(selection, config);
  expect(alone).toEqual(
    estimateMemory(selection, { ...config, kvCacheTypes: { k: 'q8_0', v: 'q4_0' } }),
  );
  const draft = estimateMemory(selection, { ...config, kvCacheTypes: { k: 'f16', v: 'f16' } });
  expect(draft.kvCacheBytes).toBeGreaterThan(alone.kvCacheBytes);
  const both = loader.estimate(selection, { ...config, draft: selection });
  expect(both.kvCacheBytes).toBe(alone.kvCacheBytes + draft.kvCacheBytes);
});

it('places what the load asks for on the GPU, and its cache unless that stays in memory', () => {
  const { loader } = setUp({ gpuLayers: 99 });
  const selection = modelSelection({ attention });
  const estimate = loader.estimate(selection, config);
  const gpus = [{ id: 'CUDA0', name: 'GPU', isUnified: false, bytes: 2 ** 40 }];
  const gpuBytesOf = (changes: Partial<InstanceConfig>) =>
    loader.place(selection, { ...config, ...changes }, estimate, gpus).gpuBytes;
  expect(gpuBytesOf({ gpuLayers: 0 })).toBe(0);
  expect(gpuBytesOf({})).toBeGreaterThan(0);
  expect(gpuBytesOf({ gpuLayers: 99 })).toBe(gpuBytesOf({}));
  expect(gpuBytesOf({ offloadsKvCacheToGpu: true })).toBe(gpuBytesOf({}));
  expect(gpuBytesOf({ offloadsKvCacheToGpu: false })).toBeLessThan(gpuBytesOf({}));
  const { loader: onProcessor } = setUp({ gpuLayers: 0 });
  expect(onProcessor.place(selection, config, estimate, gpus).gpuBytes).toBe(0);
});
