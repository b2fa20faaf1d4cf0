import { EventEmitter, once } from 'node:events';
import { open, type FileHandle } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import { planChunks, type ChunkRange } from './chunk-plan.ts';
import { openProgressFile, type ProgressFile } from './progress-file.ts';

interface PartFileOptions {
  /** Path of the content. The progress file has the same path with `.progress` at the end. */
  readonly path: string;
  /** Identifies the file and its commit. */
  readonly identity: string;
  readonly sizeBytes: number;
  readonly chunkBytes: number;
}

interface ChunkState extends ChunkRange {
  receivedBytes: number;
  checksum: number;
}

/** The path of the progress file of a part file. */
export function progressPathOf(partPath: string): string {
  return `${partPath}.progress`;
}

/**
 * A partially downloaded file. Chunks are filled in any order, each from its start and by one writer at a time. A
 * progress file records the written bytes of each chunk.
 */
export class PartFile {
  readonly sizeBytes: number;
  readonly chunkBytes: number;
  readonly #file: FileHandle;
  readonly #progress: ProgressFile;
  readonly #chunks: readonly ChunkState[];
  #receivedBytes = 0;
  #writtenAtMs = 0;
  readonly #writes = new EventEmitter();

  private constructor(file: FileHandle, progress: ProgressFile, options: PartFileOptions) {
    this.sizeBytes = options.sizeBytes;
    this.#file = file;
    this.#progress = progress;
    this.chunkBytes = options.chunkBytes;
    this.#chunks = planChunks(options.sizeBytes, options.chunkBytes).map((chunk) => ({
      ...chunk,
      ...(progress.records[chunk.index] ?? { receivedBytes: 0, checksum: 0 }),
    }));
    for (const { receivedBytes } of this.#chunks) this.#receivedBytes += receivedBytes;
  }

  /** Opens the part file of an earlier run, or creates it. */
  static async open(options: PartFileOptions): Promise<PartFile> {
    const { path, identity, sizeBytes, chunkBytes } = options;
    const file = await open(path, 'r+').catch(() => open(path, 'w+'));
    try {
      const isSized = (await file.stat()).size === sizeBytes;
      const progress = await openProgressFile({
        path: progressPathOf(path),
        // If the size of the content is wrong, its records can't be trusted.
        identity: isSized ? `${identity}\n${sizeBytes}\n${chunkBytes}` : '',
        chunkSizes: planChunks(sizeBytes, chunkBytes).map(({ start, end }) => end - start),
      });
      if (isSized) return new PartFile(file, progress, options);
      await progress.close();
      // A sparse file uses disk space only for written parts.
      await file.truncate(sizeBytes);
    } catch (error) {
      await file.close();
      throw error;
    }
    await file.close();
    return PartFile.open(options);
  }

  get chunks(): readonly ChunkRange[] {
    return this.#chunks;
  }

  /** Bytes on disk, summed over all chunks. */
  get receivedBytes(): number {
    return this.#receivedBytes;
  }

  /** Milliseconds since the last write. */
  get quietMs(): number {
    return performance.now() - this.#writtenAtMs;
  }

  get isComplete(): boolean {
    return this.#receivedBytes === this.sizeBytes;
  }

  /** Bytes of a chunk on disk, counted from its start. */
  receivedOf(index: number): number {
    return this.#chunk(index).receivedBytes;
  }

  /** CRC-32 of the bytes of a chunk. */
  checksumOf(index: number): number {
    return this.#chunk(index).checksum;
  }

  /** Number of contiguous bytes on disk from a position. */
  readableFrom(position: number): number {
    let end = position;
    while (end < this.sizeBytes) {
      const {
        start,
        receivedBytes,
        end: chunkEnd,
      } = this.#chunk(Math.floor(end / this.chunkBytes));
      end = Math.max(end, start + receivedBytes);
      if (end < chunkEnd) break;
    }
    return end - position;
  }

  /** Settles at the next write, or when the signal aborts. */
  async nextWrite(signal: AbortSignal): Promise<void> {
    await once(this.#writes, 'write', { signal }).catch(() => {});
  }

  /** Appends bytes to a chunk, then records them. */
  async append(index: number, pieces: readonly Uint8Array[]): Promise<void> {
    const chunk = this.#chunk(index);
    let byteCount = 0;
    let { checksum } = chunk;
    for (const piece of pieces) {
      byteCount += piece.length;
      checksum = crc32(piece, checksum);
    }
    if (chunk.start + chunk.receivedBytes + byteCount > chunk.end) {
      throw new RangeError(`chunk ${index} would get more bytes than it has`);
    }
    await writeFully(this.#file, pieces, byteCount, chunk.start + chunk.receivedBytes);
    await this.#record(chunk, chunk.receivedBytes + byteCount, checksum);
  }

  /** Writes the bytes of a piece that are missing on disk, at any position. All bytes before the piece must be on disk. */
  async fillIn(position: number, piece: Uint8Array): Promise<void> {
    for (let offset = 0; offset < piece.length;) {
      const at = position + offset;
      const { index, start, end, receivedBytes } = this.#chunk(Math.floor(at / this.chunkBytes));
      const length = Math.min(piece.length - offset, end - at);
      const known = Math.min(length, Math.max(0, start + receivedBytes - at));
      const missing = piece.subarray(offset + known, offset + length);
      if (missing.length > 0) await this.append(index, [missing]);
      offset += length;
    }
  }

  /** Discards the bytes of a chunk. */
  async reset(index: number): Promise<void> {
    await this.#record(this.#chunk(index), 0, 0);
  }

  /** True if the chunk's bytes on disk still match the recorded checksum. */
  async isIntact(index: number, buffer: Buffer, signal: AbortSignal): Promise<boolean> {
    const { start, receivedBytes, checksum } = this.#chunk(index);
    let actual = 0;
    for (let offset = 0; offset < receivedBytes;) {
      signal.throwIfAborted();
      const bytes = await this.read(buffer, start + offset, receivedBytes - offset);
      if (bytes.length === 0) return false;
      actual = crc32(bytes, actual);
      offset += bytes.length;
    }
    return actual === checksum;
  }

  /** Reads at most `length` bytes into `buffer`. */
  async read(buffer: Buffer, position: number, length: number): Promise<Buffer> {
    const wanted = Math.min(length, buffer.length);
    const { bytesRead } = await this.#file.read(buffer, 0, wanted, position);
    return buffer.subarray(0, bytesRead);
  }

  /** Flushes the content to the disk (fsync). */
  async flush(): Promise<void> {
    await this.#file.sync();
  }

  async close(): Promise<void> {
    await Promise.all([this.#file.close(), this.#progress.close()]);
  }

  async #record(chunk: ChunkState, receivedBytes: number, checksum: number): Promise<void> {
    await this.#progress.write(chunk.index, { receivedBytes, checksum });
    this.#receivedBytes += receivedBytes - chunk.receivedBytes;
    chunk.receivedBytes = receivedBytes;
    chunk.checksum = checksum;
    this.#writtenAtMs = performance.now();
    this.#writes.emit('write');
  }

  #chunk(index: number): ChunkState {
    const chunk = this.#chunks[index];
    if (chunk === undefined) throw new RangeError(`there is no chunk ${index}`);
    return chunk;
  }
}

/** Repeats partial writes: a disk that fills up may accept some bytes before it fails. */
async function writeFully(
  file: FileHandle,
  pieces: readonly Uint8Array[],
  byteCount: number,
  position: number,
): Promise<void> {
  let { bytesWritten: written } = await file.writev([...pieces], position);
  if (written === byteCount) return;
  const whole = Buffer.concat(pieces);
  while (written < byteCount) {
    const { bytesWritten } = await file.write(
      whole,
      written,
      byteCount - written,
      position + written,
    );
    written += bytesWritten;
  }
}
