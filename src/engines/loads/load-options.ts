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

/** The options of a load that only the engine of GGUF files has. */
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
  /** Whole contexts in the cache that the slots share; absent: each slot has a cache of its own. */
  readonly cacheContexts?: number;
  /** The sizes that were chosen by the free memory. */
  readonly chosenByMemory?: readonly SizeName[];
  readonly evalBatchSize?: number;
  readonly hasFlashAttention?: boolean;
  readonly offloadsKvCacheToGpu?: boolean;
  readonly expertCount?: number;
  /** CPU threads; absent, like the type of the cache: the setting of the server. */
  readonly threads?: number;
  readonly kvCacheType?: KvCacheType;
  /** Jinja template in place of the template of the model. */
  readonly chatTemplate?: string;
  /** Types for keys and for values; absent: `kvCacheType`. */
  readonly cacheTypeK?: KvCacheType;
  readonly cacheTypeV?: KvCacheType;
  /**
   * Layers in GPU memory; absent, like CPU layers: the setting of the server, else the free memory
   * decides.
   */
  readonly gpuLayers?: number;
  /** Layers whose experts are in the memory of the machine. */
  readonly cpuExpertLayers?: number;
  /** `none`: on one GPU. */
  readonly splitMode?: SplitMode;
  /** Proportions of the model on each GPU, in the order of their list. */
  readonly tensorSplit?: readonly number[];
  /** Id of a GPU, such as `CUDA0`. */
  readonly mainGpu?: string;
  /** Absent: off. */
  readonly speculation?: SpeculationMode;
  /** A smaller model of the same vocabulary, which drafts tokens for this one. */
  readonly draft?: ModelSelection;
  /** Applied to requests that choose none. */
  readonly adapters?: readonly AppliedAdapter[];
  /** Adapters that requests can choose. */
  readonly attachedAdapters?: readonly AdapterEntry[];
}

/** Settings of loads that do not choose. Without a size, the free memory decides. */
export type LoadDefaults = Pick<InstanceConfig, 'parallel'> &
  Partial<Pick<InstanceConfig, SizeName>>;

export interface LoadOptions extends Partial<InstanceConfig> {
  /** Identifier of the model for `draft`. */
  readonly draftModel?: string;
  /** Adapters to apply, for `adapters`. */
  readonly adapterChoices?: readonly AdapterChoice[];
  /** Adapters that fit the model, and are attached besides those that are named. */
  readonly otherAdapters?: readonly AdapterEntry[];
  /** Id of the instance; absent: from the key of the model. */
  readonly identifier?: string;
  /** Idle time after which the instance is unloaded; absent: it stays loaded. */
  readonly ttlSeconds?: number;
  /** True if the model is loaded without a memory check. */
  readonly isForced?: boolean;
}

/**
 * Refuses options of a load that an engine does not have.
 *
 * @param reason Why, such as `m runs on a remote server`.
 * @throws HearthError `invalid_value` that names the first of them that is set.
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
