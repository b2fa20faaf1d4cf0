import type { MemoryDemand } from './memory-demand.ts';

/** llama.cpp rounds the length of every cache up to a multiple of this (`GGML_PAD` in its KV caches). */
const cellStep = 256;

/** Tokens in the cache of one slot, for layers with full attention. */
export function cacheCells({ contextLength }: MemoryDemand): number {
  return Math.ceil(contextLength / cellStep) * cellStep;
}

/** Number of caches, each for a whole context. */
export function cacheCount({ parallel, sharedContexts }: MemoryDemand): number {
  return sharedContexts ?? parallel;
}

/** Tokens in the cache of one slot, for layers with a sliding window, which advances by one batch at a time. */
export function windowCells(windowTokens: number, demand: MemoryDemand, batch: number): number {
  const cells = Math.min(cacheCells(demand), windowTokens + batch);
  return Math.ceil(cells / cellStep) * cellStep;
}
