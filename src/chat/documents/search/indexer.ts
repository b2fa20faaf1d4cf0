import { coalesceRuns } from '../../../kernel/concurrency/coalesce-runs.ts';
import { linkAbort } from '../../../kernel/concurrency/linked-abort.ts';
import { runTaskGroup } from '../../../kernel/concurrency/task-group.ts';
import { TimeSlice } from '../../../kernel/concurrency/time-slice.ts';
import { HearthError } from '../../../kernel/errors/errors.ts';
import type { Logger } from '../../../kernel/logger.ts';
import type { SendRequest } from '../../batches/batch-runner.ts';
import type { DocumentReader } from '../read/document-reader.ts';
import type { Engines } from '../../../engines/engines.ts';
import { projectFilePrefix } from '../../../store/project.ts';
import type { LeaseKeeper } from '../../../store/shared/lease-keeper.ts';
import type { Store } from '../../../store/store.ts';
import type {
  IndexedFile,
  IndexFailure,
  StoredVectorStore,
  VectorStoreFile,
} from '../../../store/vector-stores/vector-store.ts';
import { EmbeddingDelayed, EmbeddingRefused, embedPassages } from './embed-passages.ts';
import { promptsOf } from './embedding-prompts.ts';
import { splitPassages } from './split-passages.ts';
import { toBytes } from './vectors.ts';

export interface IndexerOptions {
  readonly store: Pick<Store, 'files' | 'projects' | 'vectorStores' | 'freeDiskBytes'>;
  readonly leases: Pick<LeaseKeeper, 'take'>;
  readonly documents: Pick<DocumentReader, 'read'>;
  readonly pool: Pick<Engines, 'resolve'>;
  /** Maximum number of passages of a vector store. */
  readonly maxPassages: number;
  readonly logger: Logger;
  /** Interval at which the indexer looks for new files, which other processes may have added. */
  readonly pollMs?: number;
  /** First delay before a file is tried again because its model is busy. */
  readonly retryMs?: number;
}

/** Number of passages in a block, which are embedded together. */
export const passagesPerBlock = 32;
/** Two blocks at once keep the model busy: it embeds one while another is stored or prepared. */
const blocksAtOnce = 2;
const filesAtOnce = 2;
const candidates = 256;
const maxRetryMs = 60_000;
/** Disk space that is kept free for responses and deletions. */
const diskReserveBytes = 64 * 1024 * 1024;

/**
 * Indexes the files of vector stores: reads their text, splits it into passages and embeds these, block by block. If
 * the server stops or is killed, the next one continues after the last stored block.
 */
export class Indexer {
  readonly #options: Required<IndexerOptions>;
  readonly #running = new Map<string, Promise<void>>();
  /** Files that wait for a busy model, with the time of their next attempt. */
  readonly #delays = new Map<string, { readonly until: number; readonly waitMs: number }>();
  readonly #closing = new AbortController();
  readonly #lookAgain = coalesceRuns(() => this.#look());
  #send: SendRequest | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: IndexerOptions) {
    this.#options = { pollMs: 5000, retryMs: 1000, ...options };
  }

  start(send: SendRequest): void {
    this.#send = send;
    this.#timer = setInterval(() => this.wake(), this.#options.pollMs);
    this.#timer.unref();
    this.wake();
  }

  /** Wakes the indexer to look for files. */
  wake(): void {
    if (this.#send !== undefined && !this.#closing.signal.aborted) void this.#lookAgain();
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#closing.abort(new HearthError('shutting_down', 'The server is stopping.'));
    await this.#lookAgain();
    await Promise.all(this.#running.values());
  }

  async #look(): Promise<void> {
    const { store, leases, logger } = this.#options;
    try {
      await store.vectorStores.emptyExpired(new Date());
      for (const file of await store.vectorStores.pendingFiles(candidates)) {
        const name = `${file.vectorStoreId} ${file.fileId}`;
        if (this.#running.size >= filesAtOnce || this.#closing.signal.aborted) return;
        if (this.#running.has(name) || (this.#delays.get(name)?.until ?? 0) > Date.now()) continue;
        const lease = await leases.take(name);
        if (lease === undefined) continue;
        const run = async (): Promise<void> => {
          const link = linkAbort(this.#closing.signal, lease.lost);
          try {
            await this.#attempt(file, name, link.signal);
          } catch (err) {
            if (!link.signal.aborted) logger.warn({ err, file: name }, 'a file was not indexed');
          } finally {
            link.dispose();
            await lease.release();
            this.#running.delete(name);
            this.wake();
          }
        };
        this.#running.set(name, run());
      }
    } catch (err) {
      logger.warn({ err }, 'files of vector stores not read');
    }
  }

  async #attempt(file: IndexedFile, name: string, signal: AbortSignal): Promise<void> {
    const { store, logger, retryMs } = this.#options;
    try {
      await this.#index(file, signal);
      this.#delays.delete(name);
      await store.vectorStores.finishFile(file, null);
    } catch (error) {
      signal.throwIfAborted();
      const isBusy = error instanceof HearthError && [429, 503].includes(error.status);
      if (isBusy || error instanceof EmbeddingDelayed) {
        const waitMs = Math.min(2 * (this.#delays.get(name)?.waitMs ?? retryMs / 2), maxRetryMs);
        this.#delays.set(name, { until: Date.now() + waitMs, waitMs });
        setTimeout(() => this.wake(), waitMs).unref();
        return;
      }
      this.#delays.delete(name);
      const failure = toFailure(error);
      if (failure === undefined) logger.warn({ err: error, file: name }, 'a file was not indexed');
      await store.vectorStores.finishFile(file, failure ?? unexpected);
    }
  }

  async #index({ vectorStoreId, fileId }: IndexedFile, signal: AbortSignal): Promise<void> {
    const { store, documents, pool, maxPassages } = this.#options;
    const vectorStore = await store.vectorStores.findForIndexing(vectorStoreId);
    const file = await store.vectorStores.findFile(vectorStoreId, fileId);
    if (vectorStore === undefined || file?.status !== 'in_progress') return;
    const { ownerId, embeddingModel } = vectorStore;
    const target = await pool.resolve(embeddingModel, 'embedding');
    const { document: prefix } = promptsOf(target.selection.model);
    const text = await readText({ store, documents }, file, { ownerId, signal });
    const passages = await collect(splitPassages(text, file.chunking));
    const count = Math.ceil(passages.length / passagesPerBlock);
    const stored = await store.vectorStores.blockPositions(vectorStoreId, fileId);
    const others = (await store.vectorStores.countBlocks(vectorStoreId)) - stored.size;
    if ((others + count) * passagesPerBlock > maxPassages)
      throw new EmbeddingRefused(
        `The vector store has room for ${maxPassages} passages; the file has ${passages.length}. Make another vector store.`,
      );
    if ((await store.freeDiskBytes()) < diskReserveBytes)
      throw new EmbeddingRefused('The disk of the database has no room. Make room first.');
    const positions = Array.from({ length: count }, (_, position) => position).filter(
      (position) => !stored.has(position),
    );
    const work = async (own: AbortSignal): Promise<void> => {
      for (let position = positions.shift(); position !== undefined; position = positions.shift()) {
        const start = position * passagesPerBlock;
        const texts = passages.slice(start, start + passagesPerBlock);
        const block = { file, position, texts };
        if (!(await this.#addBlock(vectorStore, block, prefix, own))) return;
      }
    };
    await runTaskGroup(
      signal,
      Array.from({ length: blocksAtOnce }, () => work),
    );
  }

  /** Embeds and stores a block. False if the file should no longer be indexed. */
  async #addBlock(
    { id, ownerId, embeddingModel: model }: StoredVectorStore,
    {
      file,
      position,
      texts,
    }: {
      readonly file: IndexedFile;
      readonly position: number;
      readonly texts: readonly string[];
    },
    prefix: string,
    signal: AbortSignal,
  ): Promise<boolean> {
    const { store } = this.#options;
    if (this.#send === undefined) throw new Error('not started');
    const inputs = texts.map((text) => prefix + text);
    const vectors = await embedPassages(inputs, { send: this.#send, model, ownerId, signal });
    const length = vectors[0]?.length ?? 0;
    const dimensions = await store.vectorStores.setDimensions(id, length);
    if (dimensions === undefined) return false;
    if (vectors.length !== inputs.length || vectors.some((each) => each.length !== dimensions))
      throw new EmbeddingRefused(
        `The vector store has vectors of ${dimensions} components, and ${model} made ones of ${length}. Make a new vector store for this model.`,
      );
    return store.vectorStores.addBlock(file, { position, texts, bytes: toBytes(vectors) });
  }
}

/**
 * Reads the text of a vector store's file, which is an uploaded document or a file of a project.
 *
 * @throws HearthError `file_not_found`; the errors of `DocumentReader.read`.
 */
export async function readText(
  {
    store,
    documents,
  }: {
    readonly store: Pick<Store, 'files' | 'projects'>;
    readonly documents: Pick<DocumentReader, 'read'>;
  },
  { fileId, filename }: Pick<VectorStoreFile, 'fileId' | 'filename'>,
  options: Parameters<DocumentReader['read']>[2],
): Promise<string> {
  if (!fileId.startsWith(projectFilePrefix))
    return (await documents.read(filename, store.files.read(fileId), options)).text;
  const text = await store.projects.textOf(fileId);
  if (text === undefined) throw new HearthError('file_not_found', 'The file was deleted.');
  return text;
}

/** Collects the results of small steps, and lets other work of the server run between them. */
async function collect(items: Iterable<string>): Promise<readonly string[]> {
  const collected: string[] = [];
  const slice = new TimeSlice();
  for (const item of items) {
    collected.push(item);
    if (slice.isOver) await slice.pause();
  }
  return collected;
}

const unexpected: IndexFailure = {
  code: 'server_error',
  message: 'An unexpected error occurred; the log of the server has the details.',
};

/** Converts an expected error to the failure of a file; undefined for an unexpected error. */
function toFailure(error: unknown): IndexFailure | undefined {
  if (error instanceof HearthError) {
    const code = error.code === 'invalid_document' ? 'invalid_file' : 'server_error';
    return { code, message: error.message };
  }
  return error instanceof EmbeddingRefused
    ? { code: 'server_error', message: error.message }
    : undefined;
}
