import type { Store } from '../store/store.ts';
import type { VectorStoreFile } from '../store/vector-stores/vector-store.ts';
import type { AttributeFilter, FoundPassage } from '../tools/file-search.ts';
import { matchesFilter } from './attribute-filter.ts';
import { toFloats } from './vectors.ts';

interface SearchOptions {
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

/** Compares every passage of a vector store with the queries, and returns the closest ones in any order. */
export async function searchPassages(
  store: Pick<Store, 'vectorStores'>,
  vectorStoreId: string,
  { vectors, filter, limit, signal }: SearchOptions,
): Promise<readonly Hit[]> {
  const { vectorStores } = store;
  const completed = await vectorStores.files({ vectorStoreId, status: 'completed' });
  const files = new Map(
    completed
      .filter(({ attributes }) => filter === undefined || matchesFilter(filter, attributes))
      .map((file) => [file.fileId, file]),
  );
  if (files.size === 0) return [];
  let hits: Hit[] = [];
  let least = -Infinity;
  for await (const blocks of vectorStores.readBlocks(vectorStoreId)) {
    signal.throwIfAborted();
    for (const { fileId, position, bytes } of blocks) {
      const file = files.get(fileId);
      if (file === undefined) continue;
      for (const [index, score] of scoresOf(toFloats(bytes), vectors).entries()) {
        if (score > least) hits.push({ file, position, index, score });
      }
    }
    if (hits.length <= limit) continue;
    hits = hits.toSorted((left, right) => right.score - left.score).slice(0, limit);
    least = hits.at(-1)?.score ?? least;
  }
  return hits.map((hit) => ({ ...hit, score: Math.min(1, Math.max(0, hit.score)) }));
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
