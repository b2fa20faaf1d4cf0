import { write, writeSync } from 'node:fs';
import type { DestinationStream } from 'pino';

interface LogOutputOptions {
  readonly descriptor: number;
  /** True for files. A pipe is written asynchronously, since without a reader it would block the process. */
  readonly isSync: boolean;
  /** Called if lines were dropped, once the descriptor can be written again. */
  readonly onLoss: (lines: number) => void;
}

/** Maximum size of lines that wait in memory until they can be written. */
const maxPendingBytes = 1024 * 1024;
const retryMs = 1000;
/** Time in which lines are collected: a write in the background costs more than a line. */
const collectMs = 1;

/**
 * Writes the log to a descriptor. A failure, such as a full disk, never reaches the code that logs: the lines are
 * written with the next line or after a second.
 */
export class LogOutput implements DestinationStream {
  readonly #options: LogOutputOptions;
  #pending: Buffer[] = [];
  #pendingBytes = 0;
  #lostLines = 0;
  #isWriting = false;
  #collecting: NodeJS.Timeout | undefined;
  #retry: NodeJS.Timeout | undefined;

  constructor(options: LogOutputOptions) {
    this.#options = options;
    process.once('exit', () => this.#writePending());
  }

  write(line: string): void {
    const bytes = Buffer.from(line);
    if (this.#pendingBytes + bytes.byteLength > maxPendingBytes) {
      this.#lostLines += 1;
    } else {
      this.#pending.push(bytes);
      this.#pendingBytes += bytes.byteLength;
    }
    if (this.#options.isSync) this.#writePending();
    else if (this.#collecting === undefined) {
      this.#collecting = setTimeout(this.#writeCollected, collectMs).unref();
    }
  }

  #retryLater(): void {
    if (this.#retry !== undefined) return;
    this.#retry = setTimeout(() => {
      this.#retry = undefined;
      if (this.#options.isSync) this.#writePending();
      else this.#writeCollected();
    }, retryMs).unref();
  }

  /** Writes waiting lines until a write fails. */
  #writePending(): void {
    if (this.#isWriting) return;
    try {
      for (let next = this.#pending[0]; next !== undefined; next = this.#pending[0]) {
        this.#take(next, writeSync(this.#options.descriptor, next));
      }
    } catch {
      // The failure can't be reported: this is the log.
      return this.#retryLater();
    }
    if (this.#lostLines > 0) this.#reportLoss();
  }

  readonly #writeCollected = (): void => {
    this.#collecting = undefined;
    const [first] = this.#pending;
    if (this.#isWriting || first === undefined) return;
    const next = this.#pending.length === 1 ? first : Buffer.concat(this.#pending);
    this.#pending = [next];
    this.#isWriting = true;
    write(this.#options.descriptor, next, (error, writtenBytes) => {
      this.#isWriting = false;
      if (error !== null) return this.#retryLater();
      this.#take(next, writtenBytes);
      if (this.#pending.length > 0) this.#writeCollected();
      else if (this.#lostLines > 0) this.#reportLoss();
    });
  };

  /** Removes the written bytes from the first piece. */
  #take(first: Buffer, writtenBytes: number): void {
    this.#pendingBytes -= writtenBytes;
    if (writtenBytes === first.byteLength) this.#pending.shift();
    else this.#pending[0] = first.subarray(writtenBytes);
  }

  #reportLoss(): void {
    const lines = this.#lostLines;
    this.#lostLines = 0;
    this.#options.onLoss(lines);
  }
}

const maxHistoryLength = 1024 * 1024;

/** Passes log lines on to a destination, and keeps the latest ones in memory. */
export class LogHistory implements DestinationStream {
  readonly #destination: DestinationStream;
  readonly #lines: string[] = [];
  readonly #listeners = new Set<(line: string) => void>();
  #length = 0;

  constructor(destination: DestinationStream) {
    this.#destination = destination;
  }

  write(written: string): void {
    this.#destination.write(written);
    const line = written.trimEnd();
    this.#lines.push(line);
    this.#length += line.length;
    while (this.#length > maxHistoryLength && this.#lines.length > 1) {
      this.#length -= this.#lines.shift()?.length ?? 0;
    }
    for (const listener of this.#listeners) listener(line);
  }

  /** The latest lines as JSON, oldest first. */
  latest(count: number): readonly string[] {
    return count === 0 ? [] : this.#lines.slice(-count);
  }

  /** @returns A function that ends the subscription. */
  subscribe(listener: (line: string) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
