import { embed, type EmbedServices } from '../../embed.ts';
import { rerank } from '../../rerank.ts';
import { Mutex } from '../../../kernel/concurrency/semaphore.ts';
import { HearthError } from '../../../kernel/errors/errors.ts';
import { isInScope } from '../../../kernel/model-scope.ts';
import { randomBytes } from 'node:crypto';
import type { ModelEntry, ModelLibrary } from '../../../library/model.ts';
import { vectorStoreOf, type StoredProject } from '../../../store/project.ts';
import type { Store } from '../../../store/store.ts';
import {
  hasExpired,
  type Attributes,
  type Chunking,
  type CountedVectorStore,
  type StoredVectorStore,
  type VectorStoreFile,
} from '../../../store/vector-stores/vector-store.ts';
import { documentPurposes } from '../../../store/batches/batch.ts';
import type { Caller, RequestContext } from '../../../kernel/request/request-context.ts';
import type { FileSearch, FileSearchOptions, FoundPassage } from '../../../tools/file-search.ts';
import { promptsOf } from './embedding-prompts.ts';
import type { Indexer } from './indexer.ts';
import { readPassages, searchPassages, type Hit } from './search-passages.ts';
import { normalize } from './vectors.ts';

export interface VectorStoresOptions extends EmbedServices {
  readonly store: Pick<Store, 'files' | 'vectorStores'>;
  readonly library: Pick<ModelLibrary, 'list'>;
  readonly indexer: Pick<Indexer, 'wake'>;
  /** Maximum number of vector stores of an owner. */
  readonly maxStores: number;
  /** Maximum number of files of a vector store. */
  readonly maxFiles: number;
}

interface NewVectorStore {
  /**
   * Id of the vector store; a new one if absent. If the caller already has a vector store with this id, it stays
   * unchanged.
   */
  readonly id?: string;
  readonly name: string;
  readonly metadata: Readonly<Record<string, string>>;
  readonly expiresAfterDays: number | null;
  /** Any name of the model; defaults to the best one in the library. */
  readonly embeddingModel: string | undefined;
}

/** A file to add. */
export interface AddedFile {
  readonly fileId: string;
  readonly attributes: Attributes;
  /** Size of the passages; if absent, one that suits the model. */
  readonly chunking?: Chunking | undefined;
}

/** Default length of a passage in estimated tokens: short enough for one subject, and for models that read 512 tokens. */
const suitableTokens = 256;
/** A reranker gets this many times the requested number of passages. */
const rerankFactor = 4;
const maxReranked = 100;
const equalWeights = { embedding: 1, text: 1 };

/** The vector stores of all owners. */
export class VectorStores implements FileSearch {
  readonly #options: VectorStoresOptions;
  readonly #changing = new Mutex();

  constructor(options: VectorStoresOptions) {
    this.#options = options;
  }

  /** @throws HearthError `model_not_found`, `wrong_model_type`; `storage_full`. */
  async create(fields: NewVectorStore, { caller }: RequestContext): Promise<CountedVectorStore> {
    const { store, pool, maxStores } = this.#options;
    const named = fields.embeddingModel ?? (await this.#bestModel(caller));
    const { selection } = await pool.resolve(named, 'embedding', caller);
    const { id = newId('vs_') } = fields;
    const { tokenId: ownerId } = caller;
    await this.#changing.run(async () => {
      if ((await store.vectorStores.find(id, ownerId)) !== undefined) return;
      if ((await store.vectorStores.count(ownerId)) >= maxStores)
        throw full(`You have ${maxStores} vector stores, which is the limit. Delete one first.`);
      const { name, metadata, expiresAfterDays } = fields;
      const embeddingModel = selection.model.key;
      const createdAt = new Date();
      await store.vectorStores.insert({
        id,
        ownerId,
        name,
        metadata,
        embeddingModel,
        expiresAfterDays,
        createdAt,
      });
    });
    return this.find(id, caller);
  }

  /** @throws HearthError `vector_store_not_found`. */
  async find(id: string, { tokenId }: Caller): Promise<CountedVectorStore> {
    const found = await this.#options.store.vectorStores.find(id, tokenId);
    if (found !== undefined) return found;
    throw new HearthError(
      'vector_store_not_found',
      `No vector store has the id ${JSON.stringify(id.slice(0, 100))}.`,
      { param: 'vector_store_id' },
    );
  }

  /** @throws HearthError `vector_store_not_found`, `file_not_found`. */
  async findFile(id: string, fileId: string, caller: Caller): Promise<VectorStoreFile> {
    await this.find(id, caller);
    const found = await this.#options.store.vectorStores.findFile(id, fileId);
    if (found !== undefined) return found;
    throw fileNotFound(fileId);
  }

  /**
   * Adds files, which are indexed in the background.
   *
   * @returns The id of their batch.
   * @throws HearthError `vector_store_not_found`, `file_not_found`, `invalid_value`, `storage_full`.
   */
  async addFiles(id: string, files: readonly AddedFile[], caller: Caller): Promise<string> {
    assertAlive(await this.find(id, caller));
    for (const { fileId } of files) await this.#assertDocument(fileId, caller);
    return this.#add(id, caller, async () => files, 'addFiles');
  }

  /**
   * Creates a vector store for the files of a project if there is none, and adds missing files.
   *
   * @throws HearthError `model_not_found`, `storage_full`, `invalid_value`.
   */
  async addProject(project: StoredProject, context: RequestContext): Promise<void> {
    const { name, files } = project;
    const id = vectorStoreOf(project);
    await this.create(
      { id, name, metadata: {}, expiresAfterDays: null, embeddingModel: undefined },
      context,
    );
    const missing = async (): Promise<readonly AddedFile[]> => {
      const present = await this.#options.store.vectorStores.files({ vectorStoreId: id });
      const known = new Set(present.map(({ fileId }) => fileId));
      return files
        .filter((file) => !known.has(file.id))
        .map((file) => ({ fileId: file.id, attributes: {} }));
    };
    // Another server may add them at the same time.
    await this.#add(id, context.caller, missing, 'addMissingFiles');
  }

  /** @param choose Called while no other files are being added. */
  async #add(
    id: string,
    caller: Caller,
    choose: () => Promise<readonly AddedFile[]>,
    method: 'addFiles' | 'addMissingFiles',
  ): Promise<string> {
    const { store, indexer, maxFiles } = this.#options;
    const batchId = newId('vsfb_');
    const createdAt = new Date();
    const count = await this.#changing.run(async () => {
      const files = await choose();
      if (files.length === 0) return 0;
      const vectorStore = await this.find(id, caller);
      const suitable = await this.#chunkingFor(vectorStore);
      const { counts } = vectorStore;
      const total = Object.values(counts).reduce((sum, each) => sum + each, files.length);
      if (total > maxFiles)
        throw full(
          `A vector store has at most ${maxFiles} files. Remove some, or make another one.`,
        );
      await store.vectorStores[method](
        files.map(({ fileId, attributes, chunking = suitable }) => ({
          vectorStoreId: id,
          fileId,
          batchId,
          attributes,
          chunking,
          createdAt,
        })),
      );
      return files.length;
    });
    if (count === 0) return batchId;
    await store.vectorStores.touch(id);
    indexer.wake();
    return batchId;
  }

  async assertFound(vectorStoreIds: readonly string[], caller: Caller): Promise<void> {
    for (const id of vectorStoreIds) assertAlive(await this.find(id, caller));
  }

  async search(
    queries: readonly string[],
    options: FileSearchOptions,
    context: RequestContext,
  ): Promise<readonly FoundPassage[]> {
    const { store, pool } = this.#options;
    const { vectorStoreIds, maxResults, filter, minScore = 0, reranker } = options;
    const { hybrid: weights = equalWeights } = options;
    const limit =
      reranker === undefined ? maxResults : Math.min(maxReranked, rerankFactor * maxResults);
    const hits: Hit[] = [];
    const embedded = new Map<string, readonly Float32Array[]>();
    for (const id of new Set(vectorStoreIds)) {
      const vectorStore = await this.find(id, context.caller);
      assertAlive(vectorStore);
      await store.vectorStores.touch(id);
      const { dimensions, embeddingModel: model } = vectorStore;
      if (dimensions === null) continue;
      const vectors = embedded.get(model) ?? (await this.#embedQueries(model, queries, context));
      embedded.set(model, vectors);
      assertLength(vectors, vectorStore);
      const { signal } = context;
      hits.push(
        ...(await searchPassages(store, id, { queries, vectors, filter, weights, limit, signal })),
      );
    }
    const best = hits.toSorted((left, right) => right.score - left.score).slice(0, limit);
    if (reranker === undefined)
      return readPassages(
        store,
        best.filter(({ score }) => score >= minScore),
      );
    const passages = await readPassages(store, best);
    if (passages.length === 0) return [];
    const documents = passages.map(({ text }) => text);
    const query = queries.join('\n');
    const { ranking } = await rerank({ pool }, { model: reranker, query, documents }, context);
    return ranking
      .flatMap(({ index, relevance }) => {
        const passage = passages[index];
        return passage === undefined ? [] : [{ ...passage, score: relevance }];
      })
      .filter(({ score }) => score >= minScore)
      .slice(0, maxResults);
  }

  async #embedQueries(
    model: string,
    queries: readonly string[],
    context: RequestContext,
  ): Promise<readonly Float32Array[]> {
    const { pool } = this.#options;
    const target = await pool.resolve(model, 'embedding', context.caller);
    const { query: prefix } = promptsOf(target.selection.model);
    const inputs = queries.map((query) => prefix + query);
    const { vectors } = await embed(this.#options, { model, inputs }, context);
    return vectors.map(normalize);
  }

  /** A loaded embedding model that the caller may use, or else the largest one. */
  async #bestModel({ modelScope }: Caller): Promise<string> {
    const { library, pool } = this.#options;
    const loaded = new Set(pool.list().map(({ selection }) => selection.model.key));
    const sizeOf = ({ key, variants }: ModelEntry): number =>
      loaded.has(key) ? Infinity : (variants[0]?.sizeBytes ?? 0);
    const [best] = (await library.list())
      .filter(({ key, type }) => type === 'embeddings' && isInScope(modelScope, key))
      .toSorted((left, right) => sizeOf(right) - sizeOf(left));
    if (best !== undefined) return best.key;
    throw new HearthError(
      'model_not_found',
      'The library has no embedding model, which vector stores need. Download one, such as nomic-embed-text.',
      { param: 'embedding_model' },
    );
  }

  async #chunkingFor({ embeddingModel }: StoredVectorStore): Promise<Chunking> {
    const { selection } = await this.#options.pool.resolve(embeddingModel, 'embedding');
    const { maxContextLength } = selection.model;
    // A quarter is left free, since the estimate may be too low.
    const room = maxContextLength > 0 ? Math.floor(maxContextLength * 0.75) : suitableTokens;
    const maxTokens = Math.max(16, Math.min(suitableTokens, room));
    return { maxTokens, overlapTokens: Math.floor(maxTokens / 8) };
  }

  async #assertDocument(fileId: string, { tokenId }: Caller): Promise<void> {
    const file = await this.#options.store.files.find(fileId, tokenId);
    if (file === undefined) throw fileNotFound(fileId);
    if (documentPurposes.some((purpose) => purpose === file.purpose)) return;
    throw new HearthError(
      'invalid_value',
      `The file ${JSON.stringify(fileId)} has the purpose "${file.purpose}"; a vector store needs "assistants" or "user_data".`,
      { param: 'file_id' },
    );
  }
}

function newId(prefix: 'vs_' | 'vsfb_'): string {
  return prefix + randomBytes(12).toString('hex');
}

function assertAlive(vectorStore: StoredVectorStore): void {
  if (!hasExpired(vectorStore)) return;
  throw new HearthError('invalid_value', 'The vector store has expired. Make a new one.', {
    param: 'vector_store_id',
  });
}

/** @throws HearthError `conflict` if the model now produces vectors of another length. */
function assertLength(
  [vector]: readonly Float32Array[],
  { dimensions, embeddingModel }: StoredVectorStore,
): void {
  if (vector?.length === dimensions) return;
  throw new HearthError(
    'conflict',
    `The vector store has vectors of ${dimensions} components, and ${embeddingModel} now makes ones of ${vector?.length}. Make a new vector store.`,
    { param: 'vector_store_id' },
  );
}

function fileNotFound(fileId: string): HearthError {
  return new HearthError(
    'file_not_found',
    `No file has the id ${JSON.stringify(fileId.slice(0, 100))}.`,
    { param: 'file_id' },
  );
}

function full(message: string): HearthError {
  return new HearthError('storage_full', message);
}
