import type { LoadedEngine } from '../states/state-cache.ts';
import type { ModelSelection } from '../../library/model.ts';
import type { InstanceConfig } from './load-options.ts';
import type { MemoryEstimate } from '../memory/estimate.ts';
import type { GpuBudget } from '../../platform/machine/gpu-devices.ts';
import type { Placement } from '../placement/place-model.ts';

export interface LoadSpec {
  readonly instanceId: string;
  readonly selection: ModelSelection;
  readonly config: InstanceConfig;
  /** Absent if the loader uses no GPU. */
  readonly placement?: Placement | undefined;
  /** Estimated memory of the instance, including GPU memory; 0 if the loader has no estimate. */
  readonly estimatedBytes: number;
}

/** Starts the engines for one kind of model source, such as GGUF files or the models of a remote server. */
export interface EngineLoader {
  /** The value of `ModelEntry.format` that this loader loads. */
  readonly format: string;
  /** True if the engines copy the weights instead of mapping the files. */
  readonly copiesWeights?: boolean;
  /** Learns what the engines on GPUs can do, for the plan of a load; absent: always the same. Never fails. */
  readonly know?: () => Promise<void>;
  /**
   * Rejects a model or an option that these engines do not support; absent: they support all.
   *
   * @throws HearthError `unsupported_format`, `invalid_value`.
   */
  readonly assertLoadable?: (selection: ModelSelection, requested: Partial<InstanceConfig>) => void;
  /**
   * Estimates the memory of an instance on this machine. Absent if the instances use none: then they are admitted
   * without a memory check and do not count towards `models.maxLoaded`.
   */
  readonly estimate?: (selection: ModelSelection, config: InstanceConfig) => MemoryEstimate;
  /** True if the instance's slots share one cache. Absent: each slot has its own cache. */
  readonly sharesCache?: (selection: ModelSelection, config: Partial<InstanceConfig>) => boolean;
  /** True if adapters that no request chooses cost the instance only memory. Absent: adapters are not supported. */
  readonly separatesAdapters?: (
    selection: ModelSelection,
    config: Partial<InstanceConfig>,
  ) => boolean;
  /**
   * Completes the configuration of a load. Absent: the server's defaults complete it, as far as the memory suffices.
   *
   * @throws HearthError `invalid_value` for a setting that these models do not support.
   */
  readonly configure?: (
    selection: ModelSelection,
    requested: Partial<InstanceConfig>,
  ) => InstanceConfig;
  /**
   * Divides the estimate between GPUs and main memory. Absent if the engines use no GPU.
   * @param gpus GPUs of the machine, with the bytes that the instance may use.
   * @throws HearthError `invalid_value` for options that these GPUs can't fulfill.
   */
  readonly place?: (
    selection: ModelSelection,
    config: InstanceConfig,
    estimate: MemoryEstimate,
    gpus: readonly GpuBudget[],
  ) => Placement;
  /**
   * Starts an engine and waits until it accepts requests.
   *
   * @param onProgress Called with the loaded fraction, 0 to 1, if the source reports it.
   * @throws HearthError of type `model_load_failed` or `insufficient_memory`, `invalid_value` for a setting that the
   *   engine does not support; the signal's reason when aborted. The engine has always ended by then.
   */
  load(
    spec: LoadSpec,
    signal: AbortSignal,
    onProgress: (fraction: number) => void,
  ): Promise<LoadedEngine>;
}
