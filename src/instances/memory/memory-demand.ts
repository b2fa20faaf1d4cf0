import type { InstanceConfig } from '../instance.ts';

/** How a model is to be loaded, as far as its memory depends on it. */
export interface MemoryDemand extends Pick<
  InstanceConfig,
  'contextLength' | 'parallel' | 'evalBatchSize' | 'hasFlashAttention'
> {
  /** Types of the KV cache, such as `f16` or `q8_0`. */
  readonly kvCacheTypes: { readonly k: string; readonly v: string };
}
