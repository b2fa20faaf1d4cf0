import { Mutex } from '../../kernel/concurrency/semaphore.ts';
import { HearthError } from '../../kernel/errors/errors.ts';
import type { StoredBatch, StoredFile, UploadPurpose } from '../../store/batches/batch.ts';
import type { Store } from '../../store/store.ts';
import { newBatchId } from './batch-id.ts';
import { BatchRunner, type BatchRunnerOptions, type SendRequest } from './batch-runner.ts';

export interface BatchesOptions extends Omit<BatchRunnerOptions, 'send' | 'store'> {
  readonly store: Pick<Store, 'files' | 'batches' | 'freeDiskBytes'>;
  /** Maximum bytes of an uploaded file. */
  readonly maxFileBytes: number;
  /** Maximum bytes of all tokens' files. */
  readonly maxStorageBytes: number;
  /** Maximum number of a token's batches that have not ended. */
  readonly maxActive: number;
  /** Days after which files and ended batches are deleted. */
  readonly retentionDays: number;
}

interface NewFile {
  readonly name: string;
  readonly ownerId: string | null;
  readonly bytes: AsyncIterable<Uint8Array>;
  /** Bytes of the request with the file, from its `Content-Length`; undefined if absent. */
  readonly declaredBytes: number | undefined;
}

const dayMs = 24 * 3600 * 1000;
const completionWindowMs = dayMs;
/** Disk space left free for responses, deletions and the next start, which need little. */
const diskReserveBytes = 64 * 1024 * 1024;
const cleaningIntervalMs = 3600 * 1000;

/** Batches and their files, for all tokens. */
export class Batches {
  readonly #options: BatchesOptions;
  readonly #creating = new Mutex();
  #runner: BatchRunner | undefined;
  #timer: NodeJS.Timeout | undefined;
  #cleaning: Promise<void> | undefined;
  /** Bytes of uploads in progress, which may not be on the disk yet. */
  #expectedBytes = 0;

  constructor(options: BatchesOptions) {
    this.#options = options;
  }

  /** Starts to run batches; batches of an earlier process continue. */
  async start(send: SendRequest): Promise<void> {
    const { store, holder, logger } = this.#options;
    await store.files
      .removeUnpublished(holder)
      .catch((err: unknown) => logger.warn({ err }, 'rest of an upload not removed'));
    this.#runner = new BatchRunner({ ...this.#options, send });
    this.#runner.start();
    const clean = (): void => void (this.#cleaning ??= this.#clean());
    this.#timer = setInterval(clean, cleaningIntervalMs);
    this.#timer.unref();
    clean();
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#cleaning;
    await this.#runner?.close();
  }

  /** Time at which a file is deleted; undefined for documents, which are kept. */
  expiryOf({ createdAt, purpose }: StoredFile): Date | undefined {
    if (purpose !== 'batch' && purpose !== 'batch_output') return undefined;
    return new Date(createdAt.getTime() + this.#options.retentionDays * dayMs);
  }

  /**
   * Writes an uploaded file, which can't be found until `publishFile`.
   *
   * @throws HearthError `storage_full`; `body_too_large`.
   */
  async writeFile({ name, ownerId, bytes, declaredBytes }: NewFile): Promise<StoredFile> {
    const { store, holder, maxFileBytes, maxStorageBytes } = this.#options;
    if ((declaredBytes ?? 0) > maxFileBytes + formBytes) throw tooLarge(maxFileBytes);
    const sizeBytes = Math.min(declaredBytes ?? maxFileBytes, maxFileBytes);
    const assertRoom = (totalBytes: number): void => {
      if (totalBytes <= maxStorageBytes) return;
      throw new HearthError(
        'storage_full',
        `The files take ${totalBytes - sizeBytes} of ${maxStorageBytes} bytes. Delete files first.`,
      );
    };
    const file = {
      id: newBatchId('file-'),
      ownerId,
      purpose: 'batch',
      name,
      createdAt: new Date(),
    } as const;
    const reservation = { sizeBytes, assertRoom };
    this.#expectedBytes += sizeBytes;
    try {
      await this.#assertDiskRoom();
      return await store.files.write(file, upTo(maxFileBytes, bytes), holder, reservation);
    } finally {
      this.#expectedBytes -= sizeBytes;
    }
  }

  /** @throws HearthError `storage_full` if the disk would have no room for responses after an upload. */
  async #assertDiskRoom(): Promise<void> {
    // Computed before the wait, during which other uploads may be added.
    const neededBytes = this.#expectedBytes + diskReserveBytes;
    const freeBytes = await this.#options.store.freeDiskBytes();
    if (neededBytes <= freeBytes) return;
    throw new HearthError(
      'storage_full',
      `The disk of the database has ${freeBytes} bytes free, and uploads need ${neededBytes}, of which ${diskReserveBytes} stay free for responses. Make room first.`,
    );
  }

  publishFile({ id }: StoredFile, purpose: UploadPurpose): Promise<void> {
    return this.#options.store.files.publish(id, purpose);
  }

  discardFile({ id }: StoredFile): Promise<void> {
    return this.#options.store.files.delete(id, this.#options.holder);
  }

  /** @throws HearthError `file_not_found`. */
  async findFile(id: string, ownerId: string | null): Promise<StoredFile> {
    const file = await this.#options.store.files.find(id, ownerId);
    if (file !== undefined) return file;
    throw new HearthError('file_not_found', `No file has the id ${shown(id)}.`, {
      param: 'file_id',
    });
  }

  /** @throws HearthError `file_not_found`; `conflict` while a batch reads it. */
  async deleteFile(id: string, ownerId: string | null): Promise<void> {
    await this.findFile(id, ownerId);
    if (await this.#options.store.batches.isInput(id)) {
      const message = `A batch still reads the file ${shown(id)}. Cancel it, or wait for its end.`;
      throw new HearthError('conflict', message, { param: 'file_id' });
    }
    await this.#options.store.files.delete(id, this.#options.holder);
  }

  /** @throws HearthError `file_not_found`; `invalid_value`; `queue_full`. */
  async create(
    ownerId: string | null,
    inputFileId: string,
    endpoint: string,
    metadata: StoredBatch['metadata'],
  ): Promise<StoredBatch> {
    const { store, maxActive } = this.#options;
    const file = await store.files.find(inputFileId, ownerId);
    if (file === undefined) {
      throw new HearthError('file_not_found', `No file has the id ${shown(inputFileId)}.`, {
        param: 'input_file_id',
      });
    }
    if (file.purpose !== 'batch') {
      const message = `The file ${shown(inputFileId)} has the purpose "${file.purpose}"; it must be "batch".`;
      throw new HearthError('invalid_value', message, { param: 'input_file_id' });
    }
    const id = newBatchId('batch_');
    const createdAt = new Date();
    const expiresAt = new Date(createdAt.getTime() + completionWindowMs);
    await this.#creating.run(async () => {
      // One at a time, so that concurrent requests can't exceed the limit together.
      if ((await store.batches.activeIds(ownerId)).length >= maxActive) {
        throw new HearthError(
          'queue_full',
          `${maxActive} batches have not ended, which is the limit.`,
          { retryAfterSeconds: 60 },
        );
      }
      await store.batches.insert({
        id,
        ownerId,
        endpoint,
        inputFileId,
        metadata,
        createdAt,
        expiresAt,
      });
    });
    const created = await this.find(id, ownerId);
    this.#runner?.wake();
    return created;
  }

  /** @throws HearthError `batch_not_found`. */
  async find(id: string, ownerId: string | null): Promise<StoredBatch> {
    const batch = await this.#options.store.batches.find(id, ownerId);
    if (batch !== undefined) return batch;
    throw new HearthError('batch_not_found', `No batch has the id ${shown(id)}.`, {
      param: 'batch_id',
    });
  }

  /** @throws HearthError `batch_not_found`; `conflict` if the batch is ending or has ended. */
  async cancel(id: string, ownerId: string | null): Promise<StoredBatch> {
    await this.find(id, ownerId);
    const { batches } = this.#options.store;
    await batches.move(id, ['validating', 'in_progress'], 'cancelling');
    const batch = await this.find(id, ownerId);
    if (batch.status !== 'cancelling' && batch.status !== 'cancelled') {
      const message = `The batch ${shown(id)} is ${batch.status}; only one that is validated or in progress can be cancelled.`;
      throw new HearthError('conflict', message, { param: 'batch_id' });
    }
    this.#runner?.wake();
    return batch;
  }

  async #clean(): Promise<void> {
    const { store, retentionDays, holder, logger } = this.#options;
    const before = new Date(Date.now() - retentionDays * dayMs);
    try {
      await store.batches.deleteEnded(before);
      for (const id of await store.files.olderThan(before)) {
        if (!(await store.batches.isInput(id))) await store.files.delete(id, holder);
      }
    } catch (err) {
      logger.warn({ err }, 'old batches not deleted');
    } finally {
      this.#cleaning = undefined;
    }
  }
}

/** Upper bound for the size of the form without the file. */
const formBytes = 64 * 1024;

async function* upTo(
  maxBytes: number,
  bytes: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const piece of bytes) {
    size += piece.byteLength;
    if (size > maxBytes) throw tooLarge(maxBytes);
    yield piece;
  }
}

function tooLarge(maxFileBytes: number): HearthError {
  return new HearthError(
    'body_too_large',
    `The file has more than ${maxFileBytes} bytes. Divide it.`,
    { param: 'file' },
  );
}

function shown(id: string): string {
  return JSON.stringify(id.slice(0, 100));
}
