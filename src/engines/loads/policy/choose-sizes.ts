/** Context lengths of loads that set none. */
const contextSteps = [4096, 8192, 16_384, 32_768, 65_536, 131_072] as const;
export const [leastContext] = contextSteps;

/** Longer contexts take a smaller share of the memory. */
const usualContext = 32_768;

/**
 * Largest parts of the memory that the model leaves: for the cache of one context, of one that is longer than usual, and of all
 * contexts. Other programs share the memory of the machine, and the engine writes its whole cache at the start. A processor
 * reads 32,768 tokens in minutes, so a longer context is chosen only if it costs little.
 */
const shares = {
  machine: { context: 1 / 3, longContext: 1 / 16, cache: 1 / 4 },
  gpu: { context: 1 / 2, longContext: 1 / 4, cache: 1 / 2 },
} as const;

/** Slots with caches of their own may take more than one shared context, since all of them need one. */
const ownCachesFactor = 3 / 2;

/** Enough for two requests that may use a whole context each. */
export const wantedContexts = 2;

/** Bytes that a load may use. */
export interface Room {
  readonly hostBytes: number;
  readonly gpuBytes: number;
}

/** Memory of an instance with certain sizes. */
export interface InstanceSize extends Room {
  /** The part that grows with the context. */
  readonly contextBytes: number;
  /** True if all layers are on GPUs. */
  readonly isWhole: boolean;
  readonly gpuCount: number;
  /** True if they and the caches are in GPU memory, which the machine's memory does not include. */
  readonly isOnGpu: boolean;
}

interface ContextChoice {
  readonly maxContextLength: number;
  /** Largest step for this kind of model. */
  readonly longest: number;
  /** True if `sizeOf` counts a context for each slot instead of one. */
  readonly countsAllSlots: boolean;
}

/**
 * Chooses the context length of a load that sets none: the largest step for which the cache of a context takes at most its
 * share of the memory that the model leaves. At least the smallest step, or all that a small model supports.
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
 * Chooses the number of whole contexts in a cache that slots share: one for each slot if they take at most their share of
 * the memory that the model leaves. Two if they fit at all, else one.
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

/** The smallest context with space for a prompt and an answer that fits; else the largest that fits and holds the prompt. */
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

/** Share of a prompt for its answer and the next turn. */
const answerShare = 1 / 4;

function takesAtMost(
  share: number,
  size: InstanceSize,
  room: Room,
  { isWhole, gpuCount, isOnGpu: onGpu }: InstanceSize,
): boolean {
  if (size.hostBytes > room.hostBytes || size.gpuBytes > room.gpuBytes) return false;
  // A longer context must not push layers off the GPU, or onto another one.
  if (isWhole && (!size.isWhole || size.gpuCount > gpuCount)) return false;
  const used = onGpu ? size.gpuBytes : size.hostBytes + size.gpuBytes;
  const total = onGpu ? room.gpuBytes : room.hostBytes + room.gpuBytes;
  const freeBytes = total - (used - size.contextBytes);
  return size.contextBytes <= freeBytes * share;
}
