import type { EngineConnection } from '../../platform/net/engine-connection.ts';
import type {
  Engine,
  EngineCapabilities,
  EngineHandle,
  EngineSlots,
  EngineStats,
  GenerationRequest,
  GenerationUsage,
} from '../engine.ts';
import type { AdapterEntry } from '../../library/adapter.ts';
import type { Runtime } from '../runtimes/runtime.ts';
import type { EngineEndpoint } from './endpoint.ts';

export type { EngineExit } from '../engine.ts';

/**
 * Ways to draft tokens. `ngram`: from repetitions in the prompt and the answer; `mtp`: with layers of the model that
 * predict further tokens; `draft`: with a smaller model that has the same vocabulary.
 */
export type Speculation =
  | { readonly kind: 'ngram' }
  | { readonly kind: 'mtp' }
  | { readonly kind: 'draft'; readonly modelPath: string };

/** The GPUs of an engine process. */
interface GpuLaunch {
  /** GPUs with layers, in the order of the layers; may be empty. */
  readonly devices: readonly { readonly id: string; readonly layers: number }[];
  /** Absent for one GPU. */
  readonly splitMode?: 'layer' | 'row' | 'tensor';
  /** Id of the main GPU among `devices`; absent: the first one. */
  readonly mainGpu?: string;
}

/** The settings of one engine process. */
export interface LaunchSpec {
  readonly runtime: Runtime;
  /** Absent: `llama-server`. */
  readonly program?: EngineProgram;
  readonly modelPath: string;
  /** Projector of a vision model. */
  readonly projectorPath?: string;
  readonly purpose: 'generation' | 'embedding' | 'reranking';
  /** Maximum tokens of one request, prompt and answer together. */
  readonly contextLength: number;
  /** Number of slots: requests that run in parallel. */
  readonly parallel: number;
  /**
   * Number of whole contexts in a cache that all slots share; absent: each slot has its own cache. All running
   * requests must fit into a shared cache, or the engine fails all of them.
   */
  readonly sharedContexts?: number | undefined;
  /** CPU threads; absent: physical cores − 1, at least 1. */
  readonly threads?: number;
  /** Number of layers on GPUs; absent: as many as fit. */
  readonly gpuLayers?: number;
  /** Number of layers whose experts stay on the CPU. */
  readonly cpuExpertLayers?: number;
  /** Absent: the engine decides. */
  readonly gpus?: GpuLaunch;
  /**
   * Prompt tokens in one batch; at least `parallel`, and at least 2, the engine's minimum. Only for generation: other
   * models process a whole context in one batch.
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
  /** File with a Jinja template that replaces the model's chat template. */
  readonly chatTemplatePath?: string;
  /** How the engine drafts tokens, which it then checks in one step; absent: no drafts. */
  readonly speculation?: Speculation;
  /** Adapters that requests can choose, in the order of the engine's adapter numbers. */
  readonly adapters?: readonly Pick<AdapterEntry, 'id' | 'path'>[];
  /** Maximum memory for cached prompts outside the slots, in MiB. */
  readonly promptCacheMiB: number;
  /** Folder for the states of slots; absent: states are not saved. */
  readonly slotFolder?: string;
  /** Estimated memory with all slots full; a process that uses far more is killed. Absent: unknown. */
  readonly expectedBytes?: number;
  /** Time limit for the engine to become ready. */
  readonly loadTimeoutMs: number;
}

/**
 * Describes how to start one kind of engine and connect to it. The engine must report its load progress and answer
 * `/health` like llama-server.
 */
export interface EngineProgram {
  /** @param threads CPU threads, 1 or more. */
  buildArguments(spec: LaunchSpec, endpoint: EngineEndpoint, threads: number): readonly string[];
  /** Environment variables that only this kind of engine needs. */
  buildVariables(threads: number, spec: LaunchSpec): Readonly<Record<string, string>>;
  requestCapabilities(
    connection: EngineConnection,
    spec: LaunchSpec,
    signal: AbortSignal,
  ): Promise<EngineCapabilities>;
  createEngine(connection: EngineConnection, spec: LaunchSpec): Engine;
  createSlots?(connection: EngineConnection, spec: LaunchSpec): EngineSlots;
  /** Generates a text to measure the engine, outside of any request. */
  sample?(
    connection: EngineConnection,
    request: GenerationRequest,
    signal: AbortSignal,
  ): Promise<GenerationUsage>;
}

/** An engine that runs as a child process. `stop` sends SIGTERM, then SIGKILL after a grace time. */
export interface EngineProcess extends EngineHandle {
  readonly pid: number;
  stats(): Promise<EngineStats>;
  /**
   * Generates a text to measure whether drafts pay. Present if the engine drafts tokens.
   * @throws HearthError as `Engine.generate`.
   */
  readonly sample?: (request: GenerationRequest, signal: AbortSignal) => Promise<GenerationUsage>;
}

export interface EngineLauncher {
  /**
   * Starts an engine process and waits until it accepts requests.
   *
   * @param onProgress Called with the loaded fraction, 0 to 1, if the engine reports it.
   * @throws HearthError `invalid_value` for a setting that the runtime does not support; `corrupt_file`,
   *   `unsupported_architecture`, `out_of_memory`, `engine_exited`, `load_timeout`, `missing_file`; the signal's
   *   reason when aborted. The process has always ended by then.
   */
  launch(
    spec: LaunchSpec,
    signal: AbortSignal,
    onProgress?: (fraction: number) => void,
  ): Promise<EngineProcess>;

  /** Stops all processes, newest first. */
  close(): Promise<void>;
}
