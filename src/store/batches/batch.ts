/** Files of requests and answers, and the batches that run them. Each belongs to one owner, who alone finds it. */

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

/** Room that a file takes from the beginning, so that several that are written at once do not take the same. */
interface FileReservation {
  readonly sizeBytes: number;
  /** Called with the bytes of all files, including this reservation. */
  readonly assertRoom: (totalBytes: number) => void;
}

export interface FileRepository {
  /**
   * Writes a file from its bytes, which is not found before `publish`. If it fails, nothing remains.
   *
   * @param writer Who writes it, for `removeUnpublished`.
   * @throws The errors of `bytes` and `assertRoom`.
   */
  write(
    file: Omit<StoredFile, 'sizeBytes'>,
    bytes: AsyncIterable<Uint8Array>,
    writer: string,
    reservation?: FileReservation,
  ): Promise<StoredFile>;
  /** @param purpose Replaces the one that it was written with. */
  publish(id: string, purpose?: UploadPurpose): Promise<void>;
  /** Removes the unpublished files of a killed writer. */
  removeUnpublished(writer: string): Promise<void>;
  find(id: string, ownerId: string | null): Promise<StoredFile | undefined>;
  /** @throws HearthError `invalid_value` if `after` does not exist. */
  page(
    options: PageOptions & { readonly purpose?: StoredFile['purpose'] | undefined },
  ): Promise<Page<StoredFile>>;
  /** The bytes from `start` on, `length` of them or all. */
  read(id: string, start?: number, length?: number): AsyncGenerator<Uint8Array>;
  /** @param writer Who removes it, for `removeUnpublished`. */
  delete(id: string, writer: string): Promise<void>;
  /** Size in bytes of all owners' files, including reserved bytes. */
  totalBytes(): Promise<number>;
  /** Ids of files of batches from before a time. */
  olderThan(time: Date): Promise<readonly string[]>;
}

export const activeStatuses = ['validating', 'in_progress', 'finalizing', 'cancelling'] as const;
export type ActiveStatus = (typeof activeStatuses)[number];
export type FinalStatus = 'failed' | 'completed' | 'expired' | 'cancelled';
export type BatchStatus = ActiveStatus | FinalStatus;

/** Why the file of a batch was refused. */
export interface BatchError {
  readonly code: string;
  readonly message: string;
  /** From 1; null for the file. */
  readonly line: number | null;
  readonly param: string | null;
}

/** When a batch reached a status. */
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

/** A request of a batch: its place in the input file, in bytes. */
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
  /** Ids of batches that have not ended, oldest first; of one owner, or all. */
  activeIds(ownerId?: string | null): Promise<readonly string[]>;
  isInput(fileId: string): Promise<boolean>;
  /**
   * Leases a batch that has not ended to one process. Undefined if another one holds it.
   *
   * @param holder The same after a restart of the process.
   */
  claim(id: string, holder: string, until: Date): Promise<StoredBatch | undefined>;
  /** Moves a batch from one of these statuses to another; false if it has none of them. */
  move(
    id: string,
    from: readonly ActiveStatus[],
    to: ActiveStatus,
    changes?: { readonly totalCount?: number },
  ): Promise<boolean>;
  addLines(id: string, lines: readonly BatchLine[]): Promise<void>;
  clearLines(id: string): Promise<void>;
  /** Requests without a result after a line, in order. */
  pending(id: string, afterLine: number, limit: number): Promise<readonly BatchLine[]>;
  /** Stores the result of a request, once: a later one has no effect. */
  record(id: string, line: number, result: BatchResult): Promise<void>;
  /** Results in the order of the requests. */
  results(id: string, isFailed: boolean): AsyncGenerator<string>;
  /** Ends a batch with its files, which are published with it; no effect if it has ended. */
  end(id: string, status: FinalStatus, end?: BatchEnd): Promise<void>;
  /** Deletes batches that ended, from before a time. */
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
