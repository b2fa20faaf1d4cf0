import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { replacePrivateFile } from '../../platform/files/private-file.ts';
import type { GpuBudget } from '../../platform/machine/gpu-devices.ts';
import { HearthError } from '../../kernel/errors/errors.ts';
import type { EngineLauncher, EngineProcess, LaunchSpec, Speculation } from '../launch/launch.ts';
import { batchTokens, gpuBatchTokens, mayUseGpu } from '../launch/server-arguments.ts';
import type { InstallProgress, Runtime, RuntimeManager } from '../runtimes/runtime.ts';
import type { Logger } from '../../kernel/logger.ts';
import type { ModelSelection } from '../../library/model.ts';
import { omitUndefined } from '../../kernel/omit-undefined.ts';
import { canSaveSlots, canShareCache } from '../states/engine-fingerprint.ts';
import type { LoadedEngine, StateCache } from '../states/state-cache.ts';
import type { EngineLoader, LoadSpec } from './engine-loader.ts';
import type { InstanceConfig } from './load-options.ts';
import { loadTimeoutMs } from './load-timeout.ts';
import { maxIdleTokens } from '../memory/cache-bytes.ts';
import {
  estimateMemory,
  withAdapters,
  withDraft,
  type MemoryEstimate,
} from '../memory/estimate.ts';
import { modelParts } from '../placement/model-parts.ts';
import { placeModel, type Placement } from '../placement/place-model.ts';
import { purposeOf } from './purpose.ts';
import { SpeculationChooser } from './speculation/speculation-chooser.ts';

export interface GgufLoaderOptions {
  readonly runtimes: RuntimeManager;
  readonly launcher: EngineLauncher;
  readonly threads: number | undefined;
  readonly gpuLayers: number | undefined;
  readonly kvCacheTypes: { readonly k: string; readonly v: string };
  readonly promptCacheMiB: number;
  /** Folder for the chat templates of loads in progress. */
  readonly templateFolder: string;
  /** Saves and restores slots. Absent: the engine chooses its slots and caches their states itself. */
  readonly stateCache?: Pick<StateCache, 'prepare'> | undefined;
  readonly logger?: Logger;
  /** Called while a runtime is installed, if the first load needs one. */
  readonly onInstallProgress?: (progress: InstallProgress) => void;
}

/** True if the instance may draft with layers of the model that predict further tokens. */
function mayPredict({ model }: ModelSelection, { speculation }: Partial<InstanceConfig>): boolean {
  if (speculation !== 'mtp' && speculation !== 'auto') return false;
  return (model.dimensions?.predictingLayers ?? 0) > 0;
}

/** Types of the KV cache of a draft model. */
const draftTypes = { k: 'f16', v: 'f16' };

/** Types of cached values that need no flash attention. */
const plainTypes: ReadonlySet<string> = new Set(['f32', 'f16', 'bf16']);

/** Runs GGUF files with llama.cpp, one child process per instance. */
export class GgufLoader implements EngineLoader {
  readonly format = 'gguf';
  readonly #options: GgufLoaderOptions;
  readonly #chooser: SpeculationChooser;
  /** True if slots can share a cache in the runtime that the next load uses. */
  #canShare = true;

  constructor(options: GgufLoaderOptions) {
    this.#options = options;
    this.#chooser = new SpeculationChooser(options.logger);
  }

  estimate(selection: ModelSelection, config: InstanceConfig): MemoryEstimate {
    const demand = {
      ...config,
      kvCacheTypes: this.#kvCacheTypes(config),
      ...omitUndefined({ sharedContexts: this.#sharedContexts(selection, config) }),
    };
    const estimate = withAdapters(estimateMemory(selection, demand), config.attachedAdapters);
    if (config.draft === undefined) return estimate;
    return withDraft(
      estimate,
      estimateMemory(config.draft, { ...demand, kvCacheTypes: draftTypes }),
    );
  }

  /** Learns what the runtime can do. Without one, a load installs the recommended build, or says why it can't. */
  async know(): Promise<void> {
    const runtime = await this.#options.runtimes.resolve(this.format).catch(() => undefined);
    this.#canShare = runtime === undefined || knowsSharing(runtime);
  }

  /** Slots can share a cache only if the runtime can limit them, and Hearth chooses and empties them. */
  sharesCache(selection: ModelSelection, config: Partial<InstanceConfig>): boolean {
    const hasStates = this.#stateCache(selection, config) !== undefined;
    return this.#canShare && hasStates && canShareCache(selection.model);
  }

  /**
   * True if cached tokens of one adapter are never used for another. Hearth's slots guarantee this, but the engine's
   * own prompt cache does not.
   */
  separatesAdapters(selection: ModelSelection, config: Partial<InstanceConfig>): boolean {
    return this.#stateCache(selection, config) !== undefined && canSaveSlots(selection.model);
  }

  /** Undefined if drafts have a cache of their own, which the states of slots do not contain. */
  #stateCache(selection: ModelSelection, config: Partial<InstanceConfig>) {
    const hasDraftCache = config.draft !== undefined || mayPredict(selection, config);
    return hasDraftCache ? undefined : this.#options.stateCache;
  }

  #sharedContexts(selection: ModelSelection, config: InstanceConfig): number | undefined {
    return this.sharesCache(selection, config) ? config.cacheContexts : undefined;
  }

  #kvCacheTypes(config: Partial<InstanceConfig>): GgufLoaderOptions['kvCacheTypes'] {
    const { kvCacheType, cacheTypeK = kvCacheType, cacheTypeV = kvCacheType } = config;
    const { k, v } = this.#options.kvCacheTypes;
    return { k: cacheTypeK ?? k, v: cacheTypeV ?? v };
  }

  /** @throws HearthError `invalid_value` if the type of the cache needs flash attention, which the load disables. */
  assertLoadable(_selection: ModelSelection, requested: Partial<InstanceConfig>): void {
    const { v } = this.#kvCacheTypes(requested);
    if (requested.hasFlashAttention !== false || plainTypes.has(v)) return;
    throw new HearthError(
      'invalid_value',
      (name) =>
        `Values of the KV cache as ${v} need flash attention; leave ${name('hasFlashAttention')} out.`,
      { field: 'hasFlashAttention' },
    );
  }

  place(
    selection: ModelSelection,
    config: InstanceConfig,
    estimate: MemoryEstimate,
    gpus: readonly GpuBudget[],
  ): Placement {
    const isGeneration = purposeOf(selection) === 'generation';
    const evalBatchSize = config.evalBatchSize ?? (isGeneration ? gpuBatchTokens : undefined);
    const onGpu =
      evalBatchSize === config.evalBatchSize
        ? estimate
        : this.estimate(selection, { ...config, ...omitUndefined({ evalBatchSize }) });
    return placeModel(modelParts(selection, estimate, onGpu), gpus, {
      ...config,
      ...omitUndefined({ gpuLayers: this.#gpuLayers(config) }),
    });
  }

  #gpuLayers(config: InstanceConfig) {
    return config.gpuLayers ?? this.#options.gpuLayers;
  }

  /** @throws HearthError `runtime_unavailable` and the errors of `EngineLauncher.launch`. */
  async load(
    { selection, config, placement, estimatedBytes }: LoadSpec,
    signal: AbortSignal,
    onProgress: (fraction: number) => void,
  ): Promise<LoadedEngine> {
    const { runtimes, launcher, onInstallProgress } = this.#options;
    const { threads, promptCacheMiB, templateFolder } = this.#options;
    const {
      draft,
      speculation,
      chatTemplate,
      attachedAdapters = [],
      adapters: _adapters,
      kvCacheType: _type,
      cacheTypeK: _k,
      cacheTypeV: _v,
      splitMode: _mode,
      tensorSplit: _split,
      mainGpu: _main,
      cacheContexts: _contexts,
      chosenByMemory: _sizes,
      ...launchConfig
    } = config;
    const kvCacheTypes = this.#kvCacheTypes(config);
    const { model, variant } = selection;
    const runtime =
      (await runtimes.resolve(this.format)) ??
      (await runtimes.install({ signal, ...omitUndefined({ onProgress: onInstallProgress }) }));
    const gpuLaunch: GpuLaunchSpec =
      placement === undefined || placement.layerCount === 0
        ? omitUndefined({ gpuLayers: this.#gpuLayers(config) })
        : toGpuLaunch(placement);
    const others = [...attachedAdapters, ...(draft === undefined ? [] : [draft.variant])];
    const readBytes = others.reduce((sum, file) => sum + file.sizeBytes, variant.sizeBytes);
    const spec = {
      runtime,
      modelPath: variant.path,
      architecture: model.architecture,
      purpose: purposeOf(selection),
      ...launchConfig,
      ...omitUndefined({
        projectorPath: model.projectorPath,
        threads: config.threads ?? threads,
        ...gpuLaunch,
        sharedContexts: knowsSharing(runtime) ? this.#sharedContexts(selection, config) : undefined,
      }),
      kvCacheTypes,
      promptCacheMiB,
      expectedBytes: estimatedBytes,
      loadTimeoutMs: loadTimeoutMs(readBytes),
    };
    const {
      runtime: _runtime,
      loadTimeoutMs: _limit,
      expectedBytes: _bytes,
      sharedContexts,
      gpus: _gpus,
      ...rest
    } = spec;
    const cache = await this.#stateCache(selection, config)?.prepare({
      selection,
      slotCount: config.parallel,
      hasAdapters: attachedAdapters.length > 0,
      sharedContexts,
      maxIdleTokens: mayUseGpu(spec)
        ? undefined
        : maxIdleTokens(model, variant.sizeBytes, kvCacheTypes),
      batchTokens: batchTokens(spec),
      maxMemoryBytes: promptCacheMiB * 1024 * 1024,
      settings: {
        ...rest,
        // Not the size of a shared cache, which depends on the free memory and does not affect cached tokens.
        sharesCache: sharedContexts !== undefined,
        runtime: [runtime.name, runtime.version, runtime.command],
      },
    });
    const chatTemplatePath =
      chatTemplate === undefined ? undefined : join(templateFolder, `${randomUUID()}.jinja`);
    try {
      if (chatTemplatePath !== undefined && chatTemplate !== undefined) {
        await replacePrivateFile(chatTemplatePath, chatTemplate);
      }
      let loadedFraction = -1;
      const launch = (drafting: Speculation | undefined): Promise<EngineProcess> =>
        launcher.launch(
          {
            ...spec,
            ...omitUndefined({ chatTemplatePath, speculation: drafting }),
            ...omitUndefined({ slotFolder: cache?.slotFolder }),
            ...(cache?.replacesPromptCache === true ? { promptCacheMiB: 0 } : {}),
            // The engine's own prompt cache does not distinguish tokens of different adapters.
            ...(attachedAdapters.length > 0 && { adapters: attachedAdapters, promptCacheMiB: 0 }),
            ...(cache === undefined ? { sharedContexts: undefined } : {}),
          },
          signal,
          (fraction) => {
            // The engine may be started several times, but the reported fraction must not decrease.
            if (fraction <= loadedFraction) return;
            loadedFraction = fraction;
            onProgress(fraction);
          },
        );
      const predictor = predictorOf(selection, config);
      const isMeasured = speculation === 'auto' && spec.purpose === 'generation';
      const handle = isMeasured
        ? await this.#chooser.start({
            key: stepKey(selection, draft, spec),
            model: model.key,
            predictor,
            launch,
            signal,
          })
        : await launch(predictor ?? (speculation === 'ngram' ? { kind: 'ngram' } : undefined));
      return (await cache?.attach(handle)) ?? handle;
    } catch (error) {
      await cache?.discard();
      throw error;
    } finally {
      if (chatTemplatePath !== undefined) await rm(chatTemplatePath, { force: true });
    }
  }
}

/** First known build with a limit per slot in a shared cache. Earlier builds may exit because of the argument. */
const firstSharingBuild = 10_809;

function knowsSharing({ version }: Runtime): boolean {
  return Number(/^b(\d+)$/u.exec(version)?.[1] ?? 0) >= firstSharingBuild;
}

type GpuLaunchSpec = Pick<LaunchSpec, 'gpuLayers' | 'cpuExpertLayers' | 'gpus'>;

function toGpuLaunch(placement: Placement): GpuLaunchSpec {
  const { gpuLayers, cpuExpertLayers, gpus, splitMode, mainGpu } = placement;
  return omitUndefined({
    gpuLayers,
    cpuExpertLayers,
    gpus: {
      devices: gpus.map(({ id, layers }) => ({ id, layers })),
      ...omitUndefined({ splitMode, mainGpu }),
    },
  });
}

/** Inputs that determine how long a step of the engine takes. */
function stepKey({ variant }: ModelSelection, draft: ModelSelection | undefined, spec: LaunchSpec) {
  const { runtime, threads, gpuLayers, cpuExpertLayers, expertCount, kvCacheTypes } = spec;
  return JSON.stringify([
    [variant.path, variant.sizeBytes, draft?.variant.path],
    [runtime.command, runtime.version, threads, gpuLayers, cpuExpertLayers, expertCount],
    [kvCacheTypes, spec.hasFlashAttention, spec.offloadsKvCacheToGpu, spec.gpus],
  ]);
}

function predictorOf(selection: ModelSelection, config: InstanceConfig) {
  const { draft } = config;
  if (draft !== undefined) return { kind: 'draft', modelPath: draft.variant.path } as const;
  return mayPredict(selection, config) ? ({ kind: 'mtp' } as const) : undefined;
}
