/** Context lengths to choose from if a load sets none. */
const contextSteps = [4096, 8192, 16_384, 32_768, 65_536, 131_072] as const;
export const [leastContext] = contextSteps;

/** Contexts that are longer than this may take only a smaller share of the memory. */
const usualContext = 32_768;

/**
 * Maximum shares of the memory that the model leaves free: `context` for one context, `longContext` for one that is
 * longer than usual, `cache` for all contexts. They are lower for main memory: other programs use it, too, and the
 * engine writes its whole cache at the start. A CPU takes minutes to read 32,768 tokens, so a longer context is
 * chosen only if it costs little.
 */
const shares = {
  machine: { context: 1 / 3, longContext: 1 / 16, cache: 1 / 4 },
  gpu: { context: 1 / 2, longContext: 1 / 4, cache: 1 / 2 },
} as const;

/** If each slot has its own cache, all slots together may take more than the share of one shared context. */
const ownCachesFactor = 3 / 2;

/** Number of contexts that suffices for two requests that use a whole context each. */
export const wantedContexts = 2;

/** Bytes that a load may use. */
export interface Room {
  readonly hostBytes: number;
  readonly gpuBytes: number;
}

/** Memory of an instance with certain sizes. */
export interface InstanceSize extends Room {
  /** The part of the memory that grows with the context. */
  readonly contextBytes: number;
  /** True if all layers are on GPUs. */
  readonly isWhole: boolean;
  readonly gpuCount: number;
  /** True if all layers and caches are on GPUs with memory of their own. */
  readonly isOnGpu: boolean;
}

interface ContextChoice {
  readonly maxContextLength: number;
  /** Longest context to choose for this kind of model. */
  readonly longest: number;
  /** True if `sizeOf` counts one context for each slot, instead of one for all slots. */
  readonly countsAllSlots: boolean;
}

/**
 * Chooses the context length of a load that sets none: the largest step at which a context's cache takes at most its
 * share of the memory that the model leaves free. Never less than the smallest step, or the model's maximum if that
 * is lower.
 */
export function chooseContextLength(
  { maxContextLength, longest, countsAllSlots }: ContextChoice,
  sizeOf: (contextLength: number) => InstanceSize,
  room: Room,
): number {
  const least = Math.min(leastContext, maxContextLength);
  const smallest = sizeOf(least);
  const { context, longContext } = smallest.isOnGpu ? shares.gpu : shares.machine;
  const factor = countsAllSlots ? ownCachesFactor : 1;
  const steps = contextSteps.filter((step) => step <= Math.min(maxContextLength, longest));
  const chosen = steps.findLast((step) => {
    const share = factor * (step <= usualContext ? context : longContext);
    return takesAtMost(share, sizeOf(step), room, smallest);
  });
  return chosen ?? least;
}

/**
 * Chooses the number of whole contexts in a cache that slots share: as many as take at most their share of the memory
 * that the model leaves free, up to one for each slot. If that would be one, chooses two if they fit at all.
 */
export function chooseCacheContexts(
  slots: number,
  sizeOf: (contexts: number) => InstanceSize,
  room: Room,
): number {
  const smallest = sizeOf(1);
  const { cache } = smallest.isOnGpu ? shares.gpu : shares.machine;
  for (let contexts = slots; contexts > 1; contexts -= 1) {
    if (takesAtMost(cache, sizeOf(contexts), room, smallest)) return contexts;
  }
  const wanted = Math.min(slots, wantedContexts);
  return takesAtMost(1, sizeOf(wanted), room, smallest) ? wanted : 1;
}

/**
 * Chooses the smallest context that fits into memory and has room for a prompt and an answer; else the largest that
 * fits and has room for the prompt.
 */
export function contextForPrompt(
  promptTokens: number,
  maxContextLength: number,
  fits: (contextLength: number) => boolean,
): number | undefined {
  const steps = contextSteps.filter((step) => step < maxContextLength);
  const larger = [...steps, maxContextLength].filter((step) => step > promptTokens);
  const fitting = larger.filter(fits);
  const enough = promptTokens * (1 + answerShare);
  return fitting.find((step) => step >= enough) ?? fitting.at(-1);
}

/** Room for the answer and the next turn, as a share of the prompt. */
const answerShare = 1 / 4;

function takesAtMost(
  share: number,
  size: InstanceSize,
  room: Room,
  { isWhole, gpuCount, isOnGpu: onGpu }: InstanceSize,
): boolean {
  if (size.hostBytes > room.hostBytes || size.gpuBytes > room.gpuBytes) return false;
  // A longer context must not push layers off the GPUs, or onto a further GPU.
  if (isWhole && (!size.isWhole || size.gpuCount > gpuCount)) return false;
  const used = onGpu ? size.gpuBytes : size.hostBytes + size.gpuBytes;
  const total = onGpu ? room.gpuBytes : room.hostBytes + room.gpuBytes;
  const freeBytes = total - (used - size.contextBytes);
  return size.contextBytes <= freeBytes * share;
}
