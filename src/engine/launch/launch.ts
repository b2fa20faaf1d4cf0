import type { Engine } from '../engine.ts';
import type { Runtime } from '../runtimes/runtime.ts';

/** Everything that one engine process is started with. */
export interface LaunchSpec {
  readonly runtime: Runtime;
  readonly modelPath: string;
  /** Projector of a vision model. */
  readonly projectorPath?: string;
  readonly purpose: 'generation' | 'embedding';
  /** Tokens that one request may use. */
  readonly contextLength: number;
  /** Requests worked on at once (slots). */
  readonly parallel: number;
  /** CPU threads; absent: physical cores − 1, at least 1. */
  readonly threads?: number;
  /** Layers on the GPU; absent: as many as fit. */
  readonly gpuLayers?: number;
  /**
   * Prompt tokens read at once; raised to `parallel`, and to 2, as the engine can do with no less. Only for
   * generation: an embedding model reads a whole context at once.
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
  /** Memory that it may come to when it is busy; one that takes far more is killed. Absent: not known. */
  readonly expectedBytes?: number;
  /** Longest time until the engine must be ready. */
  readonly loadTimeoutMs: number;
}

export interface EngineExit {
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  /** The line of its error output that says why, else the signal or exit code; for people. */
  readonly reason: string;
}

/** A running engine process and the engine that speaks to it. */
export interface EngineProcess {
  readonly engine: Engine;
  readonly pid: number;
  /** Settles when the process has gone, for whatever reason; it never rejects. */
  readonly exited: Promise<EngineExit>;
  /** Resident memory in bytes, or undefined where the platform does not tell. */
  residentBytes(): Promise<number | undefined>;
  /** SIGTERM, then SIGKILL after a grace time; resolves when the process has gone. */
  stop(): Promise<void>;
}

export interface EngineLauncher {
  /**
   * Starts an engine process and waits until it can take requests.
   *
   * @param onProgress Called with the loaded fraction, 0 to 1, where the engine tells.
   * @throws HearthError `invalid_value` for a setting that the runtime does not have; `corrupt_file`,
   *   `unsupported_architecture`, `out_of_memory`, `engine_exited`, `load_timeout`, `missing_file`; the
   *   signal's reason when aborted (the process is gone then).
   */
  launch(
    spec: LaunchSpec,
    signal: AbortSignal,
    onProgress?: (fraction: number) => void,
  ): Promise<EngineProcess>;

  /** Stops every process it started, newest first. */
  close(): Promise<void>;
}
