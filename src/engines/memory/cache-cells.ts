import type { InstanceConfig } from '../loads/load-options.ts';

/** llama.cpp rounds the length of every cache up to a multiple of this (`GGML_PAD` in its KV caches). */
const cellStep = 256;

/** Tokens in the cache of one slot, for layers with full attention. */
export function cacheCells({ contextLength }: MemoryDemand): number {
  return Math.ceil(contextLength / cellStep) * cellStep;
}

/** Number of whole contexts in the cache. */
export function cacheCount({ parallel, sharedContexts }: MemoryDemand): number {
  return sharedContexts ?? parallel;
}

/** Tokens in the cache of one slot, for layers with a sliding window. The window advances by one batch at a time. */
export function windowCells(windowTokens: number, demand: MemoryDemand, batch: number): number {
  const cells = Math.min(cacheCells(demand), windowTokens + batch);
  return Math.ceil(cells / cellStep) * cellStep;
}

/** The settings of a load that determine its memory. */
export interface MemoryDemand extends Pick<
  InstanceConfig,
  'contextLength' | 'parallel' | 'evalBatchSize' | 'hasFlashAttention'
> {
  /** Types of the KV cache, such as `f16` or `q8_0`. */
  readonly kvCacheTypes: { readonly k: string; readonly v: string };
  /** Number of whole contexts in a cache that the slots share; absent: each slot has its own cache. */
  readonly sharedContexts?: number;
}
