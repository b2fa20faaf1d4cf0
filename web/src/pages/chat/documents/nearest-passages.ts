import { call } from '../../../api/client.ts';
import { queryClient } from '../../../api/query-client.ts';
import { modelsQuery } from '../../../api/queries.ts';
import { texts } from '../../../texts/texts.ts';
import type { TextDocument } from './document.ts';
import { nearest } from './rank-passages.ts';
import { splitPassages, type Passage } from './split-passages.ts';

const batchSize = 64;
const maxCount = 12;

/** Cached vectors of a document's passages, with the model that embedded them. */
const embedded = new WeakMap<
  TextDocument,
  { readonly model: string; readonly vectors: readonly number[][] }
>();

/**
 * Finds the passages of documents that are nearest to a text, with an embedding model of the library.
 *
 * @param maxCharacters Maximum length of all passages together.
 * @throws Error if the library has no embedding model; ApiError, UnreachableError.
 */
export async function nearestPassages(
  documents: readonly TextDocument[],
  text: string,
  maxCharacters: number,
): Promise<readonly Passage[]> {
  const model = await embeddingModel();
  const vectors: number[][] = [];
  const passages: Passage[] = [];
  for (const document of documents) {
    const own = splitPassages([document]);
    passages.push(...own);
    vectors.push(...(await vectorsOf(model, document, own)));
  }
  const [query = []] = await embed(model, [text]);
  const sizes = passages.map((passage) => passage.text.length + passage.source.length);
  const limits = { maxSize: maxCharacters, maxCount };
  return nearest(query, vectors, sizes, limits).flatMap((index) => passages[index] ?? []);
}

async function embeddingModel(): Promise<string> {
  const { models } = await queryClient.ensureQueryData(modelsQuery);
  const found = models
    .filter(({ type }) => type === 'embedding')
    .toSorted((one, other) => other.loaded_instances.length - one.loaded_instances.length)[0];
  if (found === undefined) throw new Error(texts.documents.noEmbeddingModel);
  return found.key;
}

async function vectorsOf(model: string, document: TextDocument, passages: readonly Passage[]) {
  const known = embedded.get(document);
  if (known?.model === model) return known.vectors;
  const vectors: number[][] = [];
  for (let start = 0; start < passages.length; start += batchSize) {
    const batch = passages.slice(start, start + batchSize);
    vectors.push(
      ...(await embed(
        model,
        batch.map((passage) => passage.text),
      )),
    );
  }
  embedded.set(document, { model, vectors });
  return vectors;
}

async function embed(model: string, input: string[]): Promise<readonly number[][]> {
  const { data } = await call('post', '/api/v0/embeddings', { body: { model, input } });
  return data.map(({ embedding }) => (typeof embedding === 'string' ? [] : embedding));
}
