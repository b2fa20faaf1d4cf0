import type { HybridWeights } from '../tools/file-search.ts';
import type { Hit } from './search-passages.ts';

/** The usual constant: how much the first ranks differ from later ones. */
const rankOffset = 60;

/**
 * Joins the ranks of passages by meaning and by words: reciprocal rank fusion (Cormack, Clarke and Buettcher, SIGIR 2009). The
 * score is 1 for a passage that is first in both.
 */
export function fuseRanks(
  closest: readonly Hit[],
  matching: readonly Hit[],
  { embedding, text }: HybridWeights,
): readonly Hit[] {
  const fused = new Map<string, Hit>();
  const add = (hits: readonly Hit[], weight: number): void => {
    if (weight === 0) return;
    const share = (weight * (rankOffset + 1)) / (embedding + text);
    const sorted = hits.toSorted((left, right) => right.score - left.score);
    for (const [rank, hit] of sorted.entries()) {
      const { file, position, index } = hit;
      const name = `${file.vectorStoreId} ${file.fileId} ${position} ${index}`;
      const score = (fused.get(name)?.score ?? 0) + share / (rankOffset + 1 + rank);
      fused.set(name, { ...hit, score: Math.min(1, score) });
    }
  };
  add(closest, embedding);
  add(matching, text);
  return [...fused.values()];
}
