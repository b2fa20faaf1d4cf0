import type { InstanceConfig } from '../loads/load-options.ts';

/** The settings of a load that determine its memory. */
export interface MemoryDemand extends Pick<
  InstanceConfig,
  'contextLength' | 'parallel' | 'evalBatchSize' | 'hasFlashAttention'
> {
  /** Types of the KV cache, such as `f16` or `q8_0`. */
  readonly kvCacheTypes: { readonly k: string; readonly v: string };
  /** Number of whole contexts that the slots share; absent: each has one of its own. */
  readonly sharedContexts?: number;
}
