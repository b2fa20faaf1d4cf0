import type { MemoryDemand } from './memory-demand.ts';

/** llama.cpp makes every cache a multiple of this long (`GGML_PAD` in its KV caches). */
const cellStep = 256;

/** Tokens that the cache of one slot has room for, in layers that look at the whole context. */
export function cacheCells({ contextLength }: MemoryDemand): number {
  return Math.ceil(contextLength / cellStep) * cellStep;
}

/** The same in layers that look at a window: it moves on by a batch at a time. */
export function windowCells(windowTokens: number, demand: MemoryDemand, batch: number): number {
  const cells = Math.min(cacheCells(demand), windowTokens + batch);
  return Math.ceil(cells / cellStep) * cellStep;
}
