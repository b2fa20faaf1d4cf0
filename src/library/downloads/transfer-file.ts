import { HearthError } from '../../kernel/errors/errors.ts';
import type { FileChecksum } from '../hub/hub.ts';
import { chooseBatchBytes, chooseChunkBytes } from './chunk-plan.ts';
import { hashWhileFilling } from './content-hash.ts';
import { fetchRange, RangeIgnored, type FileSource } from './fetch-range.ts';
import { withRetries, type RetryPolicy } from '../../platform/net/with-retries.ts';
import { isFileOfSize } from './find-present.ts';
import { PartFile } from './part-file.ts';
import { runTaskGroup } from '../../kernel/concurrency/task-group.ts';
import type { Semaphore } from '../../kernel/concurrency/semaphore.ts';

export interface TransferSettings {
  readonly retryPolicy: RetryPolicy;
  /** Maximum number of chunks of one job that are fetched at once. */
  readonly connectionsPerJob: number;
  /** Default: depends on the size of the file. */
  readonly chunkBytes?: number;
}

interface FileTransfer {
  readonly source: Omit<FileSource, 'batchBytes'>;
  readonly checksum: FileChecksum;
  readonly partPath: string;
  /** Identifies the file and its commit. */
  readonly identity: string;
  readonly connections: Semaphore;
  readonly settings: TransferSettings;
  readonly signal: AbortSignal;
  /** Called with the bytes of this file on disk whenever they change. */
  readonly onReceived: (bytes: number) => void;
}

/**
 * Downloads a file into its part file, resuming an earlier run, until it is complete, checked and flushed.
 *
 * @throws HearthError `checksum_mismatch` if the content is still wrong after it was fetched again; the errors of
 *   `fetchRange` after the last retry; errors of the file system; the signal's reason.
 */
export async function transferFile(transfer: FileTransfer): Promise<void> {
  const part = await openPart(transfer);
  transfer.onReceived(part.receivedBytes);
  try {
    await new PartTransfer(part, transfer).run();
    await part.flush();
  } finally {
    await part.close();
  }
}

/** Returns the number of bytes that an earlier run left of a file. Creates no file, since that may take disk space. */
export async function readStagedBytes(
  transfer: Pick<FileTransfer, 'partPath' | 'identity'> & { readonly sizeBytes: number },
  settings: TransferSettings,
): Promise<number> {
  const { partPath: path, identity, sizeBytes } = transfer;
  if (!(await isFileOfSize(path, sizeBytes))) return 0;
  const chunkBytes = settings.chunkBytes ?? chooseChunkBytes(sizeBytes);
  const part = await PartFile.open({ path, identity, sizeBytes, chunkBytes });
  await part.close();
  return part.receivedBytes;
}

function openPart({ source, settings, partPath, identity }: FileTransfer): Promise<PartFile> {
  const { sizeBytes } = source;
  const chunkBytes = settings.chunkBytes ?? chooseChunkBytes(sizeBytes);
  return PartFile.open({ path: partPath, identity, sizeBytes, chunkBytes });
}

class PartTransfer {
  readonly #part: PartFile;
  readonly #transfer: FileTransfer;
  readonly #source: FileSource;
  #sendsRanges = true;

  constructor(part: PartFile, transfer: FileTransfer) {
    this.#part = part;
    this.#transfer = transfer;
    const { source, settings } = transfer;
    const batchBytes = chooseBatchBytes(part.chunkBytes, settings.connectionsPerJob);
    this.#source = { ...source, batchBytes };
  }

  async run(): Promise<void> {
    if (await this.#fillAndCompare()) return;
    if (await this.#mendDisk()) return;
    if (await this.#mendTransfer()) return;
    const { source, checksum } = this.#transfer;
    throw new HearthError(
      'checksum_mismatch',
      `The content of ${source.path} does not have the hash that the hub lists (${checksum.algorithm} ` +
        `${checksum.hex}), also after every part of it was fetched again. The file on the hub, or what ` +
        'lies between it and here, changes its content. Ask for the download again to try once more.',
    );
  }

  /** Fetches the missing bytes. @returns True if the hash of the whole file matches. */
  async #fillAndCompare(): Promise<boolean> {
    const { checksum, signal } = this.#transfer;
    let digest = '';
    await runTaskGroup(signal, [
      (stop) => this.#fill(stop),
      async (stop) => {
        digest = await hashWhileFilling(this.#part, checksum.algorithm, stop);
      },
    ]);
    return digest === checksum.hex.toLowerCase();
  }

  /** Fetches chunks again if their bytes on disk have changed since they were written. */
  async #mendDisk(): Promise<boolean> {
    const buffer = Buffer.allocUnsafeSlow(256 * 1024);
    let damaged = 0;
    for (const { index } of this.#part.chunks) {
      if (await this.#part.isIntact(index, buffer, this.#transfer.signal)) continue;
      damaged += 1;
      await this.#part.reset(index);
    }
    return damaged > 0 && (await this.#fillAndCompare());
  }

  /**
   * Fetches each chunk again, since bytes were changed in transit. Hashes the whole file only after the 1st, 2nd, 4th,
   * ... chunk that differs: a hub that sends random bytes must not cause endless hashing.
   */
  async #mendTransfer(): Promise<boolean> {
    if (!this.#sendsRanges) {
      for (const { index } of this.#part.chunks) await this.#part.reset(index);
      return this.#fillAndCompare();
    }
    let differing = 0;
    let lookAt = 1;
    for (const { index } of this.#part.chunks) {
      const before = this.#part.checksumOf(index);
      await this.#part.reset(index);
      await this.#fill(this.#transfer.signal);
      if (this.#part.checksumOf(index) === before) continue;
      differing += 1;
      if (differing < lookAt) continue;
      lookAt *= 2;
      if (await this.#fillAndCompare()) return true;
    }
    return differing > 0 && (await this.#fillAndCompare());
  }

  async #fill(signal: AbortSignal): Promise<void> {
    if (this.#sendsRanges) {
      try {
        await this.#fillChunks(signal);
        return;
      } catch (error) {
        if (!(error instanceof RangeIgnored)) throw error;
        this.#sendsRanges = false;
      }
    }
    if (!this.#part.isComplete) await this.#fillFromStart(signal);
  }

  async #fillChunks(signal: AbortSignal): Promise<void> {
    const missing = this.#part.chunks.filter(
      ({ index, start, end }) => this.#part.receivedOf(index) < end - start,
    );
    // All workers share the iterator: each takes the next chunk.
    const queue = missing.values();
    const { connections, settings } = this.#transfer;
    const work = async (stop: AbortSignal): Promise<void> => {
      for (const { index, start, end } of queue) {
        const attempt = (): Promise<void> => {
          const from = start + this.#part.receivedOf(index);
          return this.#fetch(stop, from, end, (pieces) => this.#part.append(index, pieces));
        };
        const progress = (): number => this.#part.receivedOf(index);
        await connections.run(() => this.#retry(attempt, progress, stop), stop);
      }
    };
    const workers = Math.min(settings.connectionsPerJob, missing.length);
    await runTaskGroup(
      signal,
      Array.from({ length: workers }, () => work),
    );
  }

  /** Fetches the whole file in one stream, and writes only the missing bytes. */
  async #fillFromStart(signal: AbortSignal): Promise<void> {
    const { connections, source } = this.#transfer;
    const attempt = (): Promise<void> => {
      let position = 0;
      return this.#fetch(signal, 0, source.sizeBytes, async (pieces) => {
        for (const piece of pieces) {
          await this.#part.fillIn(position, piece);
          position += piece.length;
        }
      });
    };
    const progress = (): number => this.#part.receivedBytes;
    await connections.run(() => this.#retry(attempt, progress, signal), signal);
  }

  #retry(attempt: () => Promise<void>, progress: () => number, signal: AbortSignal): Promise<void> {
    return withRetries({ attempt, progress, policy: this.#transfer.settings.retryPolicy, signal });
  }

  #fetch(
    signal: AbortSignal,
    start: number,
    end: number,
    write: (pieces: readonly Uint8Array[]) => Promise<void>,
  ): Promise<void> {
    if (start === end) return Promise.resolve();
    const { onReceived } = this.#transfer;
    return fetchRange({
      source: this.#source,
      start,
      end,
      signal,
      write: async (pieces) => {
        await write(pieces);
        onReceived(this.#part.receivedBytes);
      },
    });
  }
}
