import type { HearthError } from '../../kernel/errors/errors.ts';
import { type ByteSource, corruptFile } from './byte-source.ts';

/**
 * Limits of a GGUF header. Each is far above real models (in brackets: the largest known), and bounds the memory and
 * time that a hostile file can cost.
 */
export const ggufLimits = {
  /** Everything before the data of the tensors (about 20 MB). */
  headerBytes: 256 * 1024 * 1024,
  metadataEntries: 16_384,
  /** Old mixture-of-experts files have one tensor per expert (about 30,000). */
  tensors: 262_144,
  keyBytes: 65_535,
  tensorNameBytes: 255,
  dimensions: 4,
  /** Longer strings, such as a whole tokenizer as JSON, are skipped (chat templates: about 60 KB). */
  keptStringBytes: 256 * 1024,
  /** Longer arrays of numbers, and all arrays of strings, are skipped (one number per layer). */
  keptArrayItems: 1024,
  /** Total bytes of keys and values kept per file; later ones are skipped. */
  keptBytes: 2 * 1024 * 1024,
} as const;

/** At least the length of the longest kept string, so that no value spans two windows. */
const windowBytes = ggufLimits.keptStringBytes;
const twoToThe32 = 2 ** 32;
/** Size of a string's length. */
export const stringLengthBytes = 8;

/**
 * Reads a file forward through one window of fixed size, whatever lengths the file declares. Callers request bytes with
 * `need` and then read them synchronously.
 */
export class WindowReader {
  readonly #source: ByteSource;
  readonly #signal: AbortSignal;
  readonly #window: Buffer;
  readonly #view: DataView;
  readonly #limit: number;
  #windowStart = 0;
  #windowEnd = 0;
  #position = 0;

  constructor(source: ByteSource, signal: AbortSignal) {
    this.#source = source;
    this.#signal = signal;
    this.#limit = Math.min(source.sizeBytes, ggufLimits.headerBytes);
    this.#window = Buffer.allocUnsafe(Math.min(windowBytes, this.#limit));
    const { buffer, byteOffset, byteLength } = this.#window;
    this.#view = new DataView(buffer, byteOffset, byteLength);
  }

  get position(): number {
    return this.#position;
  }

  /** Bytes that can be read synchronously. */
  get buffered(): number {
    return Math.max(0, this.#windowEnd - this.#position);
  }

  /** Makes the next bytes readable; at most the size of the window. */
  async need(byteCount: number): Promise<void> {
    if (this.buffered >= byteCount) return;
    this.assertRemaining(byteCount);
    this.#signal.throwIfAborted();
    const target = this.#window.subarray(0, Math.min(windowBytes, this.#limit - this.#position));
    const bytesRead = await this.#source.read(target, this.#position);
    this.#windowStart = this.#position;
    this.#windowEnd = this.#position + bytesRead;
    if (bytesRead < byteCount) throw this.fault('got shorter while it was read');
  }

  /** @throws HearthError `corrupt_file` if the header can't have that many more bytes. */
  assertRemaining(byteCount: number): void {
    if (byteCount <= this.#limit - this.#position) return;
    throw this.fault(
      this.#limit < this.#source.sizeBytes
        ? `has a header of more than ${this.#limit} bytes`
        : `is truncated: its header continues after its end at byte ${this.#source.sizeBytes}`,
    );
  }

  skip(byteCount: number): void {
    this.assertRemaining(byteCount);
    this.#position += byteCount;
  }

  /**
   * Skips up to `maxCount` strings, each of which has its length in 8 bytes before it. Stops when the next length is
   * not in the window. Works synchronously, since a vocabulary has hundreds of thousands of strings and the first load
   * waits for it.
   *
   * @returns The number of skipped strings, and the bytes of the longest.
   * @throws HearthError `corrupt_file` if a string exceeds the rest of the header.
   */
  skipStrings(maxCount: number): { readonly count: number; readonly longest: number } {
    const view = this.#view;
    const end = this.#windowEnd - this.#windowStart - stringLengthBytes;
    const limit = this.#limit - this.#windowStart;
    let start = this.#position - this.#windowStart;
    let count = 0;
    let longest = 0;
    while (count < maxCount && start <= end) {
      const bytes = view.getUint32(start, true) + view.getUint32(start + 4, true) * twoToThe32;
      start += stringLengthBytes;
      if (start + bytes > limit) {
        this.#position = this.#windowStart + start;
        this.assertRemaining(bytes);
      }
      start += bytes;
      if (bytes > longest) longest = bytes;
      count += 1;
    }
    this.#position = this.#windowStart + start;
    return { count, longest };
  }

  readUint8(): number {
    return this.#window.readUInt8(this.#advance(1));
  }

  readUint32(): number {
    return this.#window.readUInt32LE(this.#advance(4));
  }

  /** A 64-bit count or offset. Above 2^53 it loses precision, but that exceeds every limit. */
  readUint64(): number {
    const low = this.readUint32();
    return this.readUint32() * twoToThe32 + low;
  }

  readText(byteCount: number): string {
    const start = this.#advance(byteCount);
    return this.#window.toString('utf8', start, start + byteCount);
  }

  /** The next bytes, for numbers of any type; valid until the next `need`. */
  readBytes(byteCount: number): Buffer {
    const start = this.#advance(byteCount);
    return this.#window.subarray(start, start + byteCount);
  }

  fault(reason: string): HearthError {
    return corruptFile(this.#source.name, reason);
  }

  /** Advances the position, and returns where the bytes start in the window. */
  #advance(byteCount: number): number {
    const start = this.#position - this.#windowStart;
    this.#position += byteCount;
    return start;
  }
}
