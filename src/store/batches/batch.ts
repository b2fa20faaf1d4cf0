/** Files of requests and answers, and the batches that run them. A file or batch is visible only to its owner. */

/** Purposes of documents, which are kept until they are deleted. */
export const documentPurposes = ['assistants', 'user_data'] as const;
/** Purpose of an uploaded file: requests of a batch, or documents. */
export const uploadPurposes = ['batch', ...documentPurposes] as const;
export type UploadPurpose = (typeof uploadPurposes)[number];

export interface StoredFile {
  /** `file-` and 24 lower-case hex digits. */
  readonly id: string;
  readonly ownerId: string | null;
  readonly purpose: UploadPurpose | 'batch_output';
  readonly name: string;
  readonly sizeBytes: number;
  readonly createdAt: Date;
}

export interface Page<Item> {
  readonly items: readonly Item[];
  readonly hasMore: boolean;
}

interface PageOptions {
  readonly ownerId: string | null;
  readonly limit: number;
  readonly order: 'asc' | 'desc';
  /** Id of the previous page's last item. */
  readonly after?: string | undefined;
}

/** Bytes reserved for the file before it is written, so that concurrent uploads do not count on the same space. */
interface FileReservation {
  readonly sizeBytes: number;
  /** Called with the total bytes of all files, including this reservation. Throws if there is no room. */
  readonly assertRoom: (totalBytes: number) => void;
}

export interface FileRepository {
  /**
   * Writes a file, which can't be found until `publish`. If it fails, nothing remains.
   *
   * @param writer The process that writes the file, for `removeUnpublished`.
   * @throws The errors of `bytes` and `assertRoom`.
   */
  write(
    file: Omit<StoredFile, 'sizeBytes'>,
    bytes: AsyncIterable<Uint8Array>,
    writer: string,
    reservation?: FileReservation,
  ): Promise<StoredFile>;
  /** @param purpose Replaces the purpose given to `write`. */
  publish(id: string, purpose?: UploadPurpose): Promise<void>;
  /** Removes files that a killed process had not published. */
  removeUnpublished(writer: string): Promise<void>;
  find(id: string, ownerId: string | null): Promise<StoredFile | undefined>;
  /** @throws HearthError `invalid_value` if `after` does not exist. */
  page(
    options: PageOptions & { readonly purpose?: StoredFile['purpose'] | undefined },
  ): Promise<Page<StoredFile>>;
  /** Reads `length` bytes from `start` on, or all of them. */
  read(id: string, start?: number, length?: number): AsyncGenerator<Uint8Array>;
  /** @param writer The process that removes the file, for `removeUnpublished`. */
  delete(id: string, writer: string): Promise<void>;
  /** Size in bytes of all owners' files, including reserved bytes. */
  totalBytes(): Promise<number>;
  /** Ids of batch files created before a time. */
  olderThan(time: Date): Promise<readonly string[]>;
}

export const activeStatuses = ['validating', 'in_progress', 'finalizing', 'cancelling'] as const;
export type ActiveStatus = (typeof activeStatuses)[number];
export type FinalStatus = 'failed' | 'completed' | 'expired' | 'cancelled';
export type BatchStatus = ActiveStatus | FinalStatus;

/** The reason why a batch's file was refused. */
export interface BatchError {
  readonly code: string;
  readonly message: string;
  /** Line of the file, from 1; null if the error concerns the whole file. */
  readonly line: number | null;
  readonly param: string | null;
}

/** Times at which a batch reached its statuses. */
type StatusTimes = { readonly [Status in Exclude<BatchStatus, 'validating'>]?: Date };

export interface StoredBatch {
  /** `batch_` and 24 lower-case hex digits. */
  readonly id: string;
  readonly ownerId: string | null;
  readonly status: BatchStatus;
  readonly endpoint: string;
  readonly inputFileId: string;
  readonly outputFileId: string | null;
  readonly errorFileId: string | null;
  readonly metadata: Readonly<Record<string, string>> | null;
  readonly errors: readonly BatchError[];
  readonly totalCount: number;
  readonly completedCount: number;
  readonly failedCount: number;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  readonly times: StatusTimes;
}

/** A request of a batch: its position in the input file, in bytes. */
export interface BatchLine {
  /** From 1. */
  readonly line: number;
  readonly customId: string;
  readonly start: number;
  readonly length: number;
}

export interface BatchRepository {
  insert(
    batch: Pick<
      StoredBatch,
      'id' | 'ownerId' | 'endpoint' | 'inputFileId' | 'metadata' | 'createdAt' | 'expiresAt'
    >,
  ): Promise<void>;
  find(id: string, ownerId: string | null): Promise<StoredBatch | undefined>;
  /** @throws HearthError `invalid_value` if `after` does not exist. */
  page(options: PageOptions): Promise<Page<StoredBatch>>;
  /** Ids of batches that have not ended, oldest first; only one owner's if `ownerId` is given. */
  activeIds(ownerId?: string | null): Promise<readonly string[]>;
  isInput(fileId: string): Promise<boolean>;
  /**
   * Leases a batch that has not ended to one process. Undefined if another process holds it.
   *
   * @param holder Id of the process, the same after a restart.
   */
  claim(id: string, holder: string, until: Date): Promise<StoredBatch | undefined>;
  /** Moves a batch from one of these statuses to another; false if it has another status. */
  move(
    id: string,
    from: readonly ActiveStatus[],
    to: ActiveStatus,
    changes?: { readonly totalCount?: number },
  ): Promise<boolean>;
  addLines(id: string, lines: readonly BatchLine[]): Promise<void>;
  clearLines(id: string): Promise<void>;
  /** Requests after `afterLine` without a result, in order. */
  pending(id: string, afterLine: number, limit: number): Promise<readonly BatchLine[]>;
  /** Stores the result of a request. Later results for the same request have no effect. */
  record(id: string, line: number, result: BatchResult): Promise<void>;
  /** Results in the order of the requests. */
  results(id: string, isFailed: boolean): AsyncGenerator<string>;
  /** Ends a batch and publishes its files; no effect if it has ended. */
  end(id: string, status: FinalStatus, end?: BatchEnd): Promise<void>;
  /** Deletes batches that were created before a time and have ended. */
  deleteEnded(before: Date): Promise<void>;
}

export interface BatchResult {
  readonly isFailed: boolean;
  /** A line of the file of answers or errors. */
  readonly json: string;
}

export interface BatchEnd {
  readonly outputFileId?: string | undefined;
  readonly errorFileId?: string | undefined;
  readonly errors?: readonly BatchError[];
}
