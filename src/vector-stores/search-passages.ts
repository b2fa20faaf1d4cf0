import { TimeSlice } from '../kernel/concurrency/time-slice.ts';
import type { Store } from '../store/store.ts';
import type { VectorStoreFile } from '../store/vector-stores/vector-store.ts';
import type { AttributeFilter, FoundPassage } from '../tools/file-search.ts';
import { matchesFilter } from './attribute-filter.ts';
import { toFloats } from './vectors.ts';
import { WordMatches } from './word-matches.ts';

interface SearchOptions {
  /** Present if passages are searched by their words, too. */
  readonly queries: readonly string[] | undefined;
  /** Of the queries, of length 1. */
  readonly vectors: readonly Float32Array[];
  readonly filter: AttributeFilter | undefined;
  readonly limit: number;
  readonly signal: AbortSignal;
}

/** A passage that was found; its text is in its block. */
export interface Hit {
  readonly file: VectorStoreFile;
  readonly position: number;
  /** Of the passage in its block. */
  readonly index: number;
  readonly score: number;
}

interface FoundHits {
  /** The passages that are closest to the queries, in any order. */
  readonly closest: readonly Hit[];
  /** Those with the most telling words of the queries, in any order; the score has no upper limit. */
  readonly matching: readonly Hit[];
}

/** Compares every passage of a vector store with the queries. */
export async function searchPassages(
  store: Pick<Store, 'vectorStores'>,
  vectorStoreId: string,
  { queries, vectors, filter, limit, signal }: SearchOptions,
): Promise<FoundHits> {
  const { vectorStores } = store;
  const completed = await vectorStores.files({ vectorStoreId, status: 'completed' });
  const files = new Map(
    completed
      .filter(({ attributes }) => filter === undefined || matchesFilter(filter, attributes))
      .map((file) => [file.fileId, file]),
  );
  if (files.size === 0) return { closest: [], matching: [] };
  const words = new WordMatches<Omit<Hit, 'score'>>(queries ?? []);
  const slice = new TimeSlice();
  let hits: Hit[] = [];
  let least = -Infinity;
  for await (const blocks of vectorStores.readBlocks(vectorStoreId, queries !== undefined)) {
    signal.throwIfAborted();
    for (const { fileId, position, bytes, texts } of blocks) {
      const file = files.get(fileId);
      if (file === undefined) continue;
      for (const [index, score] of scoresOf(toFloats(bytes), vectors).entries()) {
        if (score > least) hits.push({ file, position, index, score });
      }
      for (const [index, text] of texts.entries()) words.add({ file, position, index }, text);
      await slice.pause();
    }
    if (hits.length <= limit) continue;
    hits = hits.toSorted((left, right) => right.score - left.score).slice(0, limit);
    least = hits.at(-1)?.score ?? least;
  }
  return {
    closest: hits.map((hit) => ({ ...hit, score: Math.min(1, Math.max(0, hit.score)) })),
    matching: words.best(limit).map(({ item, score }) => ({ ...item, score })),
  };
}

/** Reads the passages of hits, in their order, without those that were removed meanwhile. */
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
    if (text !== undefined) found.push({ fileId, filename, attributes, score, text });
  }
  return found;
}

/** The cosine of each passage with the query that is closest to it. */
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
