import type { EngineHandle } from '../engine/engine.ts';
import type { EngineLauncher, GpuSplit } from '../engine/launch/launch.ts';
import { batchTokens } from '../engine/launch/server-arguments.ts';
import type { InstallProgress, RuntimeManager } from '../engine/runtimes/runtime.ts';
import type { ModelSelection } from '../models/model.ts';
import { omitUndefined } from '../omit-undefined.ts';
import type { WarmStates } from '../warm-state/warm-states.ts';
import type { EngineLoader, LoadSpec } from './engine-loader.ts';
import type { InstanceConfig } from './load-options.ts';
import { estimateMemory, type MemoryEstimate } from './memory/estimate.ts';
import { layerSizes } from './memory/layer-sizes.ts';
import { placeOnGpu, type Placement } from './policy/place-on-gpu.ts';
import { purposeOf } from './purpose.ts';

export interface GgufLoaderOptions {
  readonly runtimes: RuntimeManager;
  readonly launcher: EngineLauncher;
  readonly threads: number | undefined;
  readonly gpuLayers: number | undefined;
  /** How the layers are divided; absent: as the engine does. */
  readonly gpuSplit?: GpuSplit | undefined;
  readonly kvCacheTypes: { readonly k: string; readonly v: string };
  readonly promptCacheMiB: number;
  readonly loadTimeoutMs: number;
  /** Saves and restores the slots; absent: the engine chooses its slots and keeps their states itself. */
  readonly warmStates?: Pick<WarmStates, 'prepare'> | undefined;
  /** Called while a runtime is installed, if the first load needs one. */
  readonly onInstallProgress?: (progress: InstallProgress) => void;
}

/** Runs GGUF files with llama.cpp, one child process per instance. */
export class GgufLoader implements EngineLoader {
  readonly format = 'gguf';
  readonly #options: GgufLoaderOptions;

  constructor(options: GgufLoaderOptions) {
    this.#options = options;
  }

  estimate(selection: ModelSelection, config: InstanceConfig): MemoryEstimate {
    return estimateMemory(selection, { ...config, kvCacheTypes: this.#options.kvCacheTypes });
  }

  place(
    { model, variant }: ModelSelection,
    config: InstanceConfig,
    estimate: MemoryEstimate,
    gpuBytes: number,
  ): Placement {
    const { gpuLayers, gpuSplit } = this.#options;
    return placeOnGpu(estimate, layerSizes(model, variant), {
      gpuBytes,
      requestedLayers: config.gpuLayers ?? gpuLayers,
      keepsCacheOnHost: config.offloadsKvCacheToGpu === false,
      cpuExpertLayers: gpuSplit?.cpuExpertLayers ?? 0,
    });
  }

  /** @throws HearthError `runtime_unavailable` and the errors of `EngineLauncher.launch`. */
  async load(
    { selection, config, estimatedBytes }: LoadSpec,
    signal: AbortSignal,
    onProgress: (fraction: number) => void,
  ): Promise<EngineHandle> {
    const { runtimes, launcher, onInstallProgress, warmStates } = this.#options;
    const { threads, gpuLayers, kvCacheTypes, promptCacheMiB, loadTimeoutMs } = this.#options;
    const { model, variant } = selection;
    const runtime =
      (await runtimes.resolve(this.format)) ??
      (await runtimes.install({ signal, ...omitUndefined({ onProgress: onInstallProgress }) }));
    const spec = {
      runtime,
      modelPath: variant.path,
      architecture: model.architecture,
      purpose: purposeOf(selection),
      ...config,
      ...omitUndefined({
        projectorPath: model.projectorPath,
        threads,
        gpuSplit: this.#options.gpuSplit,
        gpuLayers: config.gpuLayers ?? gpuLayers,
      }),
      kvCacheTypes,
      promptCacheMiB,
      expectedBytes: estimatedBytes,
      loadTimeoutMs,
    };
    const { runtime: _runtime, loadTimeoutMs: _limit, expectedBytes: _bytes, ...rest } = spec;
    const warm = await warmStates?.prepare({
      selection,
      slotCount: config.parallel,
      batchTokens: batchTokens(spec),
      maxMemoryBytes: promptCacheMiB * 1024 * 1024,
      settings: { ...rest, runtime: [runtime.name, runtime.version, runtime.command] },
    });
    try {
      const handle = await launcher.launch(
        {
          ...spec,
          ...omitUndefined({ slotFolder: warm?.slotFolder }),
          ...(warm?.replacesPromptCache === true ? { promptCacheMiB: 0 } : {}),
        },
        signal,
        onProgress,
      );
      return (await warm?.attach(handle)) ?? handle;
    } catch (error) {
      await warm?.discard();
      throw error;
    }
  }
}
