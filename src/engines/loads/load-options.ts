import type { AdapterEntry } from '../../library/adapter.ts';
import type { ModelSelection } from '../../library/model.ts';
import { HearthError } from '../../kernel/errors/errors.ts';
import type { kvCacheTypes, speculationModes, splitModes } from '../../kernel/field.ts';
import type { AdapterChoice } from '../../kernel/adapter-names.ts';

type KvCacheType = (typeof kvCacheTypes)[number];
type SplitMode = (typeof splitModes)[number];
type SpeculationMode = (typeof speculationModes)[number];
export type SizeName = 'contextLength' | 'cacheContexts';

export interface AppliedAdapter {
  readonly adapter: AdapterEntry;
  readonly scale: number;
}

/** Options of a load that only the engine for GGUF files supports. */
export const ggufOptions = [
  'hasFlashAttention',
  'offloadsKvCacheToGpu',
  'expertCount',
  'gpuLayers',
  'cpuExpertLayers',
  'splitMode',
  'tensorSplit',
  'mainGpu',
  'kvCacheType',
  'cacheTypeK',
  'cacheTypeV',
  'chatTemplate',
  'speculation',
  'draft',
  'adapters',
] as const satisfies readonly (keyof InstanceConfig)[];

/** Options of a load. */
export interface InstanceConfig {
  /** Maximum tokens of one request, prompt and answer together. */
  readonly contextLength: number;
  /** Number of slots: requests that run in parallel. */
  readonly parallel: number;
  /** Number of whole contexts in a cache that the slots share; absent: each slot has its own cache. */
  readonly cacheContexts?: number;
  /** The sizes that were chosen according to the free memory. */
  readonly chosenByMemory?: readonly SizeName[];
  readonly evalBatchSize?: number;
  readonly hasFlashAttention?: boolean;
  readonly offloadsKvCacheToGpu?: boolean;
  readonly expertCount?: number;
  /** CPU threads; absent: the server's setting. The same holds for `kvCacheType`. */
  readonly threads?: number;
  readonly kvCacheType?: KvCacheType;
  /** Jinja template that replaces the model's chat template. */
  readonly chatTemplate?: string;
  /** Type of cached keys; absent: `kvCacheType`. `cacheTypeV` is the type of cached values. */
  readonly cacheTypeK?: KvCacheType;
  readonly cacheTypeV?: KvCacheType;
  /**
   * Number of layers in GPU memory; absent: the server's setting, else the free memory decides. The same holds for
   * `cpuExpertLayers`.
   */
  readonly gpuLayers?: number;
  /** Number of layers whose experts are in main memory. */
  readonly cpuExpertLayers?: number;
  /** `none`: the model is on one GPU. */
  readonly splitMode?: SplitMode;
  /** Proportion of the model on each GPU, in the order in which the runtime lists them. */
  readonly tensorSplit?: readonly number[];
  /** Id of a GPU, such as `CUDA0`. */
  readonly mainGpu?: string;
  /** Absent: off. */
  readonly speculation?: SpeculationMode;
  /** A smaller model with the same vocabulary, which drafts tokens for this model. */
  readonly draft?: ModelSelection;
  /** Adapters for requests that choose none. */
  readonly adapters?: readonly AppliedAdapter[];
  /** Adapters that requests can choose. */
  readonly attachedAdapters?: readonly AdapterEntry[];
}

/** The server's settings for options that a load does not set. The free memory decides about absent sizes. */
export type LoadDefaults = Pick<InstanceConfig, 'parallel'> &
  Partial<Pick<InstanceConfig, SizeName>>;

export interface LoadOptions extends Partial<InstanceConfig> {
  /** Identifier of the model for `draft`. */
  readonly draftModel?: string;
  /** Adapters to apply, for `adapters`. */
  readonly adapterChoices?: readonly AdapterChoice[];
  /** Further adapters that fit the model, which may be attached in addition to the named ones. */
  readonly otherAdapters?: readonly AdapterEntry[];
  /** Id of the instance; absent: derived from the model's key. */
  readonly identifier?: string;
  /** Idle time after which the instance is unloaded; absent: it stays loaded. */
  readonly ttlSeconds?: number;
  /** True if the model is loaded without a memory check. */
  readonly isForced?: boolean;
}

/**
 * Rejects options of a load that an engine does not support.
 *
 * @param reason The reason, such as `m runs on a remote server`.
 * @throws HearthError `invalid_value` that names the first option that is set.
 */
export function refuseOptions(
  requested: Partial<InstanceConfig>,
  options: readonly (keyof InstanceConfig)[],
  reason: string,
): void {
  const option = options.find((name) => requested[name] !== undefined);
  if (option === undefined) return;
  throw new HearthError('invalid_value', (name) => `${reason}; leave ${name(option)} out.`, {
    field: option,
  });
}
