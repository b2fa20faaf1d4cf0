import type { EngineHandle, EngineStats } from '../engine.ts';
import type { Runtime } from '../runtimes/runtime.ts';

export type { EngineExit } from '../engine.ts';

/** The settings of one engine process. */
export interface LaunchSpec {
  readonly runtime: Runtime;
  readonly modelPath: string;
  /** Projector of a vision model. */
  readonly projectorPath?: string;
  readonly purpose: 'generation' | 'embedding';
  /** Most tokens of one request, prompt and answer together. */
  readonly contextLength: number;
  /** Requests that run at once (slots). */
  readonly parallel: number;
  /** CPU threads; absent: physical cores − 1, at least 1. */
  readonly threads?: number;
  /** Layers on the GPU; absent: as many as fit. */
  readonly gpuLayers?: number;
  /**
   * Prompt tokens in one batch; raised to `parallel` and to 2, the engine's minimum. Only for generation: an
   * embedding model processes a whole context in one batch.
   */
  readonly evalBatchSize?: number;
  readonly hasFlashAttention?: boolean;
  readonly offloadsKvCacheToGpu?: boolean;
  /** Experts that a mixture-of-experts model uses for a token; needs `architecture`, and not the wheel. */
  readonly expertCount?: number;
  /** `general.architecture` of the model, which names its metadata. */
  readonly architecture?: string;
  /** Types of the KV cache, such as `f16` or `q8_0`. */
  readonly kvCacheTypes?: { readonly k: string; readonly v: string };
  /** Most memory for prompts kept outside the slots, in MiB. */
  readonly promptCacheMiB: number;
  /** Estimated memory under load; a process that takes far more is killed. Absent: unknown. */
  readonly expectedBytes?: number;
  /** Longest time until the engine is ready. */
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
   * @param onProgress Called with the loaded fraction, 0 to 1, where the engine reports it.
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
