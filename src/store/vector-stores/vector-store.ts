/** Sets of files for semantic search. A store is visible only to its owner. */
import type { Page } from '../batches/batch.ts';

const dayMs = 24 * 3600 * 1000;

export type VectorStoreFileStatus = 'in_progress' | 'completed' | 'failed' | 'cancelled';

/** Values that search filters compare. */
export type Attributes = Readonly<Record<string, string | number | boolean>>;

export interface StoredVectorStore {
  /** `vs_` and 24 lower-case hex digits. */
  readonly id: string;
  readonly ownerId: string | null;
  readonly name: string;
  readonly metadata: Readonly<Record<string, string>>;
  /** Key of the model that computes its vectors. */
  readonly embeddingModel: string;
  /** Length of its vectors; null until the first one is stored. */
  readonly dimensions: number | null;
  /** Days from the last use until it expires; null: never. */
  readonly expiresAfterDays: number | null;
  readonly createdAt: Date;
  readonly lastActiveAt: Date;
}

/** A vector store with the state of its files. */
export interface CountedVectorStore extends StoredVectorStore {
  readonly counts: FileCounts;
  readonly sizeBytes: number;
}

export type FileCounts = Readonly<Record<VectorStoreFileStatus, number>>;

/** How a file is split into passages, in estimated tokens. */
export interface Chunking {
  readonly maxTokens: number;
  /** Tokens at the end of a passage that the next passage repeats. */
  readonly overlapTokens: number;
}

export interface IndexFailure {
  readonly code: 'server_error' | 'unsupported_file' | 'invalid_file';
  readonly message: string;
}

export interface VectorStoreFile {
  readonly vectorStoreId: string;
  readonly fileId: string;
  readonly filename: string;
  /** `vsfb_` and 24 lower-case hex digits. */
  readonly batchId: string | null;
  readonly status: VectorStoreFileStatus;
  readonly error: IndexFailure | null;
  readonly attributes: Attributes;
  readonly chunking: Chunking;
  readonly sizeBytes: number;
  readonly createdAt: Date;
}

/** Consecutive passages of a file. */
export interface PassageBlock {
  readonly fileId: string;
  /** Position of the block in its file, from 0. */
  readonly position: number;
  /** The vectors, one after the other: unit length, 32-bit floats, little-endian. */
  readonly bytes: Uint8Array;
}

/** Selects files of a vector store. */
export interface FileSelection {
  readonly vectorStoreId: string;
  readonly batchId?: string | undefined;
  readonly status?: VectorStoreFileStatus | undefined;
}

interface PageOptions {
  readonly limit: number;
  readonly order: 'asc' | 'desc';
  /** Id of the previous page's last item. */
  readonly after?: string | undefined;
}

export type NewVectorStoreFile = Pick<
  VectorStoreFile,
  'vectorStoreId' | 'fileId' | 'batchId' | 'attributes' | 'chunking' | 'createdAt'
>;

/** Identifies one indexing of a file; a file that is added again has another batch. */
export type IndexedFile = Pick<VectorStoreFile, 'vectorStoreId' | 'fileId' | 'batchId'>;

export interface VectorStoreRepository {
  /** Has no effect if the vector store exists. */
  insert(vectorStore: Omit<StoredVectorStore, 'dimensions' | 'lastActiveAt'>): Promise<void>;
  /** The number of vector stores of an owner. */
  count(ownerId: string | null): Promise<number>;
  find(id: string, ownerId: string | null): Promise<CountedVectorStore | undefined>;
  /** @throws HearthError `invalid_value` if `after` does not exist. */
  page(
    options: PageOptions & { readonly ownerId: string | null },
  ): Promise<Page<CountedVectorStore>>;
  update(
    id: string,
    changes: Partial<Pick<StoredVectorStore, 'name' | 'metadata' | 'expiresAfterDays'>>,
  ): Promise<void>;
  /** Sets the time of the last use to now. */
  touch(id: string): Promise<void>;
  /**
   * Sets the length of the vectors if it is not set yet.
   *
   * @returns the length in effect.
   */
  setDimensions(id: string, dimensions: number): Promise<number | undefined>;
  delete(id: string): Promise<void>;
  /** Removes the files of expired vector stores. */
  emptyExpired(now: Date): Promise<void>;

  /** Adds files to be indexed; files that are present are indexed again. */
  addFiles(files: readonly NewVectorStoreFile[]): Promise<void>;
  /** Adds files to be indexed; files that are present stay unchanged. */
  addMissingFiles(files: readonly NewVectorStoreFile[]): Promise<void>;
  findFile(vectorStoreId: string, fileId: string): Promise<VectorStoreFile | undefined>;
  files(selection: FileSelection): Promise<readonly VectorStoreFile[]>;
  setAttributes(vectorStoreId: string, fileId: string, attributes: Attributes): Promise<void>;
  /** Ends the indexing of a batch's files. */
  cancelBatch(vectorStoreId: string, batchId: string): Promise<void>;
  removeFile(vectorStoreId: string, fileId: string): Promise<void>;

  /** Files to be indexed, ordered so that each owner's oldest files come first. */
  pendingFiles(limit: number): Promise<readonly IndexedFile[]>;
  /** Finds a vector store regardless of its owner, for the process that indexes its files. */
  findForIndexing(id: string): Promise<StoredVectorStore | undefined>;
  /** Positions of a file's stored blocks. */
  blockPositions(vectorStoreId: string, fileId: string): Promise<ReadonlySet<number>>;
  /** The number of blocks of a vector store. */
  countBlocks(vectorStoreId: string): Promise<number>;
  /** Stores a block. False if the file is no longer to be indexed. */
  addBlock(
    file: IndexedFile,
    block: Omit<PassageBlock, 'fileId'> & { readonly texts: readonly string[] },
  ): Promise<boolean>;
  /** Ends the indexing of a file; no effect if it has ended, or the file was added again. */
  finishFile(file: IndexedFile, failure: IndexFailure | null): Promise<void>;

  /**
   * Reads all blocks of a vector store in groups; other work runs between two groups.
   *
   * @param withTexts False if the blocks' passages are not needed; they are empty then.
   */
  readBlocks(
    vectorStoreId: string,
    withTexts?: boolean,
  ): AsyncGenerator<readonly (PassageBlock & { readonly texts: readonly string[] })[]>;
  /** Reads the passages of a block; empty if the block was removed. */
  readTexts(
    vectorStoreId: string,
    block: Pick<PassageBlock, 'fileId' | 'position'>,
  ): Promise<readonly string[]>;
}

/** Time at which a vector store expires if it is not used; undefined: never. */
export function expiryOf({
  expiresAfterDays,
  lastActiveAt,
}: Pick<StoredVectorStore, 'expiresAfterDays' | 'lastActiveAt'>): Date | undefined {
  if (expiresAfterDays === null) return undefined;
  return new Date(lastActiveAt.getTime() + expiresAfterDays * dayMs);
}

export function hasExpired(store: StoredVectorStore, now = new Date()): boolean {
  const expiry = expiryOf(store);
  return expiry !== undefined && expiry <= now;
}

/** Counts files by their status. */
export function countFiles(
  files: readonly {
    readonly status: VectorStoreFile['status'];
    readonly count?: number;
  }[],
): FileCounts {
  const counts = { in_progress: 0, completed: 0, failed: 0, cancelled: 0 };
  for (const { status, count = 1 } of files) counts[status] += count;
  return counts;
}
