/** Memory of a GPU on which layers are placed. */
interface Space {
  readonly bytes: number;
}

/** Memory that a GPU needs in addition to its layers. */
export interface Overhead {
  /** For each GPU with layers. */
  readonly eachBytes: number;
  /** Additional bytes for the first GPU with layers. */
  readonly firstBytes: number;
}

const shareSteps = 2 ** 20;

/**
 * Divides consecutive layers among GPUs so that each GPU uses the same share of its free space after the overhead, as
 * far as possible with whole layers.
 *
 * @param layers Bytes of each layer.
 * @returns Number of layers on each GPU; undefined if they don't fit.
 */
export function fillGpus(
  layers: readonly number[],
  gpus: readonly Space[],
  overhead: Overhead,
): readonly number[] | undefined {
  const filled = (step: number) => fillUpTo(step / shareSteps, layers, gpus, overhead);
  let best = filled(shareSteps);
  if (best === undefined) return undefined;
  let fitting = shareSteps;
  let failing = 0;
  while (fitting - failing > 1) {
    const middle = Math.floor((fitting + failing) / 2);
    const counts = filled(middle);
    if (counts === undefined) failing = middle;
    else [best, fitting] = [counts, middle];
  }
  return best;
}

/** Fills one GPU after the other up to a share of its space. This places as many layers as possible in this order. */
function fillUpTo(
  share: number,
  layers: readonly number[],
  gpus: readonly Space[],
  { eachBytes, firstBytes }: Overhead,
): readonly number[] | undefined {
  let placed = 0;
  const counts = gpus.map(({ bytes }) => {
    const start = placed;
    const needed = eachBytes + (placed === 0 ? firstBytes : 0);
    let room = (bytes - needed) * share;
    for (let next = layers[placed]; next !== undefined && next <= room; next = layers[placed]) {
      room -= next;
      placed += 1;
    }
    return placed - start;
  });
  return placed === layers.length ? counts : undefined;
}

/**
 * Divides a number of layers by proportions, as the engine does (llama.cpp, `get_layer_buft_list`).
 *
 * @returns Number of layers for each proportion. If the engine divides by these numbers, it gets the same numbers.
 */
export function countsByProportion(
  layerCount: number,
  proportions: readonly number[],
): readonly number[] {
  const sum = proportions.reduce((total, each) => total + each, 0);
  let upTo = 0;
  let placed = 0;
  return proportions.map((each) => {
    upTo += each;
    const end = Math.min(layerCount, Math.ceil((layerCount * upTo) / sum));
    const count = end - placed;
    placed = end;
    return count;
  });
}

/** Bytes used on each GPU; 0 for a GPU without layers. */
export function bytesOfCounts(
  layers: readonly number[],
  counts: readonly number[],
  { eachBytes, firstBytes }: Overhead,
): readonly number[] {
  let placed = 0;
  return counts.map((count) => {
    if (count === 0) return 0;
    const own = layers.slice(placed, placed + count).reduce((sum, bytes) => sum + bytes, 0);
    const needed = own + eachBytes + (placed === 0 ? firstBytes : 0);
    placed += count;
    return Math.ceil(needed);
  });
}
