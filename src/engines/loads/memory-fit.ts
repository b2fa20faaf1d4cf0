import type { Headroom } from '../engines.ts';

/**
 * `fits`: a load would be accepted now, if necessary after evictions. `partly`: the machine has the memory, but other
 * programs or settings take it. `too_large`: the machine does not have it.
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

/** For the cache of 4096 tokens: an eighth of the weights in models with grouped attention. */
const cacheShare = 1 / 8;
/** For the buffers and the process. */
const baseBytes = 192 * 1024 * 1024;

/** Memory of a model whose header is not known yet, from the size of its files. */
export function estimateFromSize(sizeBytes: number): number {
  return Math.ceil(sizeBytes * (1 + cacheShare)) + baseBytes;
}
