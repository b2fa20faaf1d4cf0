import type { Headroom } from '../engines.ts';

/**
 * `fits`: a load would be accepted now, if necessary after evictions. `partly`: the machine has enough memory, but
 * other programs or pinned models use it. `too_large`: the machine does not have enough memory.
 */
export type MemoryFit = 'fits' | 'partly' | 'too_large';

/** Tells how well a model of this size fits into memory. */
export function memoryFit(
  neededBytes: number,
  { usableBytes, capacityBytes }: Headroom,
): MemoryFit {
  if (neededBytes <= usableBytes) return 'fits';
  return neededBytes <= capacityBytes ? 'partly' : 'too_large';
}

/** Size of a cache for 4096 tokens, as a share of the weights, in models with grouped-query attention. */
const cacheShare = 1 / 8;
/** Memory of the buffers and the process. */
const baseBytes = 192 * 1024 * 1024;

/** Estimates the memory of a model from the size of its files, if its header is not known yet. */
export function estimateFromSize(sizeBytes: number): number {
  return Math.ceil(sizeBytes * (1 + cacheShare)) + baseBytes;
}
