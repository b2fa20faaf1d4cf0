import { TimeSlice } from '../../../kernel/concurrency/time-slice.ts';
import type { Store } from '../../../store/store.ts';
import type { VectorStoreFile } from '../../../store/vector-stores/vector-store.ts';
import type { AttributeFilter, FoundPassage, HybridWeights } from '../../../tools/file-search.ts';
import { matchesFilter } from './attribute-filter.ts';
import { toFloats } from './vectors.ts';
import { WordMatches } from './word-matches.ts';

interface SearchOptions {
  readonly queries: readonly string[];
  /** Vectors of the queries, normalized to length 1. */
  readonly vectors: readonly Float32Array[];
  readonly filter: AttributeFilter | undefined;
  readonly weights: HybridWeights;
  readonly limit: number;
  readonly signal: AbortSignal;
}

/** A passage that was found. Its text must be read from its block. */
export interface Hit {
  readonly file: VectorStoreFile;
  readonly position: number;
  /** Index of the passage in its block. */
  readonly index: number;
  readonly score: number;
}

/**
 * Compares every passage of a vector store with the queries, by meaning and words. A score is the weighted mean of the
 * cosine and the share of words, which may exceed 1. Source: the convex combination in Bruch, Gai and Ingber, "An
 * Analysis of Fusion Functions for Hybrid Retrieval", TOIS 2023.
 *
 * @returns The best hits, in any order.
 */
export async function searchPassages(
  store: Pick<Store, 'vectorStores'>,
  vectorStoreId: string,
  { queries, vectors, filter, weights, limit, signal }: SearchOptions,
): Promise<readonly Hit[]> {
  const { vectorStores } = store;
  const completed = await vectorStores.files({ vectorStoreId, status: 'completed' });
  const files = new Map(
    completed
      .filter(({ attributes }) => filter === undefined || matchesFilter(filter, attributes))
      .map((file) => [file.fileId, file]),
  );
  if (files.size === 0) return [];
  const byWords = weights.text > 0;
  const words = new WordMatches<Hit>(queries);
  const slice = new TimeSlice();
  const best = new BestHits(limit);
  const { embedding, text: textWeight } = weights;
  const mean = (cosine: number, share: number): number =>
    (embedding * Math.min(1, Math.max(0, cosine)) + textWeight * share) / (embedding + textWeight);
  for await (const blocks of vectorStores.readBlocks(vectorStoreId, byWords)) {
    signal.throwIfAborted();
    for (const { fileId, position, bytes, texts } of blocks) {
      const file = files.get(fileId);
      if (file === undefined) continue;
      for (const [index, cosine] of scoresOf(toFloats(bytes), vectors).entries()) {
        const hit = { file, position, index, score: cosine };
        const hasWords = byWords && words.add(hit, texts[index] ?? '');
        if (!hasWords && embedding > 0) best.add({ ...hit, score: mean(cosine, 0) });
      }
      await slice.pause();
    }
  }
  for (const { item, share } of words.shares()) {
    best.add({ ...item, score: mean(item.score, share) });
  }
  return best.hits;
}

/** Collects the hits with the highest scores. */
class BestHits {
  readonly #limit: number;
  #hits: readonly Hit[] = [];
  #added: Hit[] = [];
  #least = -Infinity;

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(hit: Hit): void {
    if (hit.score <= this.#least) return;
    this.#added.push(hit);
    if (this.#added.length >= 512) this.#sort();
  }

  /** Best first. */
  get hits(): readonly Hit[] {
    this.#sort();
    return this.#hits;
  }

  #sort(): void {
    this.#hits = [...this.#hits, ...this.#added]
      .toSorted((left, right) => right.score - left.score)
      .slice(0, this.#limit);
    this.#added = [];
    if (this.#hits.length === this.#limit) this.#least = this.#hits.at(-1)?.score ?? -Infinity;
  }
}

/** Reads the text of hits in order, without passages that were removed meanwhile. */
export async function readPassages(
  { vectorStores }: Pick<Store, 'vectorStores'>,
  hits: readonly Hit[],
): Promise<readonly FoundPassage[]> {
  const blocks = new Map<string, readonly string[]>();
  const found: FoundPassage[] = [];
  for (const { file, position, index, score } of hits) {
    const { vectorStoreId, fileId, filename, attributes } = file;
    const block = `${vectorStoreId} ${fileId} ${position}`;
    const texts =
      blocks.get(block) ?? (await vectorStores.readTexts(vectorStoreId, { fileId, position }));
    blocks.set(block, texts);
    const text = texts[index];
    if (text === undefined) continue;
    found.push({ fileId, filename, attributes, score: Math.min(1, score), text });
  }
  return found;
}

/** The cosine between each passage and the query closest to it. */
function scoresOf(block: Float32Array, vectors: readonly Float32Array[]): readonly number[] {
  const dimensions = vectors[0]?.length ?? 0;
  if (dimensions === 0) return [];
  const scores: number[] = [];
  for (let start = 0; start < block.length; start += dimensions) {
    let best = -Infinity;
    for (const vector of vectors) {
      let product = 0;
      for (let index = 0; index < dimensions; index += 1) {
        product += (vector[index] ?? 0) * (block[start + index] ?? 0);
      }
      best = Math.max(best, product);
    }
    scores.push(best);
  }
  return scores;
}
