import type { EngineHandle, EngineStats } from '../engine.ts';
import type { Runtime } from '../runtimes/runtime.ts';

export type { EngineExit } from '../engine.ts';

/** The settings of one engine process. */
/** How an engine divides a model among GPUs, and between them and the processor. */
export interface GpuSplit {
  /** `layer`: whole layers on each GPU; `row`: parts of each layer; `none`: one GPU. Absent: as the engine does. */
  readonly mode?: 'none' | 'layer' | 'row' | undefined;
  /** Share of each GPU, in their order; absent: by their free memory. */
  readonly shares?: readonly number[] | undefined;
  /** Layers whose experts stay on the processor. */
  readonly cpuExpertLayers?: number | undefined;
}

export interface LaunchSpec {
  readonly runtime: Runtime;
  readonly modelPath: string;
  /** Projector of a vision model. */
  readonly projectorPath?: string;
  readonly purpose: 'generation' | 'embedding' | 'reranking';
  /** Maximum tokens of one request, prompt and answer together. */
  readonly contextLength: number;
  /** Number of slots: requests that run in parallel. */
  readonly parallel: number;
  /** CPU threads; absent: physical cores − 1, at least 1. */
  readonly threads?: number;
  /** Layers on the GPU; absent: as many as fit. */
  readonly gpuLayers?: number;
  readonly gpuSplit?: GpuSplit;
  /**
   * Prompt tokens in one batch; raised to `parallel` and to 2, the engine's minimum. Only for generation:
   * other models process a whole context in one batch.
   */
  readonly evalBatchSize?: number;
  readonly hasFlashAttention?: boolean;
  readonly offloadsKvCacheToGpu?: boolean;
  /** Experts per token of a mixture-of-experts model. Requires `architecture`; the wheel does not support it. */
  readonly expertCount?: number;
  /** `general.architecture` of the model, the prefix of its metadata keys. */
  readonly architecture?: string;
  /** Types of the KV cache, such as `f16` or `q8_0`. */
  readonly kvCacheTypes?: { readonly k: string; readonly v: string };
  /** Maximum memory for cached prompts outside the slots, in MiB. */
  readonly promptCacheMiB: number;
  /** Folder for the states of slots; absent: they are not saved. */
  readonly slotFolder?: string;
  /** Estimated memory under load; a process that uses far more is killed. Absent: unknown. */
  readonly expectedBytes?: number;
  /** Time limit for the engine to become ready. */
  readonly loadTimeoutMs: number;
}

/** An engine that runs as a child process. `stop` sends SIGTERM, then SIGKILL after a grace time. */
export interface EngineProcess extends EngineHandle {
  readonly pid: number;
  stats(): Promise<EngineStats>;
}

export interface EngineLauncher {
  /**
   * Starts an engine process and waits until it accepts requests.
   *
   * @param onProgress Called with the loaded fraction, 0 to 1, if the engine reports it.
   * @throws HearthError `invalid_value` for a setting that the runtime does not support; `corrupt_file`,
   *   `unsupported_architecture`, `out_of_memory`, `engine_exited`, `load_timeout`, `missing_file`; the
   *   signal's reason when aborted (the process has ended then).
   */
  launch(
    spec: LaunchSpec,
    signal: AbortSignal,
    onProgress?: (fraction: number) => void,
  ): Promise<EngineProcess>;

  /** Stops all processes, newest first. */
  close(): Promise<void>;
}
