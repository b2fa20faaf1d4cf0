import type { CatalogEntry } from './catalog-entries.ts';

/**
 * Chooses models of the catalog for a machine. First come the largest language model that fits, the largest with
 * vision, and for quick answers a language model of at most half the size; then all others, largest first.
 *
 * @param entries Entries of the catalog.
 * @param fits True if a model of this download size fits into the memory.
 */
export function recommendModels(
  entries: readonly CatalogEntry[],
  fits: (sizeBytes: number) => boolean,
  limit: number,
): readonly CatalogEntry[] {
  const usable = entries
    .filter(
      ({ type, approximateBytes }) => (type === 'llm' || type === 'vlm') && fits(approximateBytes),
    )
    .toSorted((left, right) => right.approximateBytes - left.approximateBytes);
  // A model for code is not the best first model to chat with.
  const general = usable.filter(({ type, id }) => type === 'llm' && !id.includes('coder'));
  const [largest] = general;
  const seeing = usable.find(({ type }) => type === 'vlm');
  const quick = general.find(
    ({ approximateBytes }) => approximateBytes * 2 <= (largest?.approximateBytes ?? 0),
  );
  const first = [largest, seeing, quick].filter((entry) => entry !== undefined);
  return [...new Set([...first, ...general, ...usable])].slice(0, limit);
}

/** Tokens per second on the CPU. For each token, a model reads its active weights once. */
export function expectedSpeed(
  { approximateBytes, activeShare = 1 }: Pick<CatalogEntry, 'approximateBytes' | 'activeShare'>,
  bytesPerSecond: number,
): number {
  return Number((bytesPerSecond / (approximateBytes * activeShare)).toPrecision(2));
}
