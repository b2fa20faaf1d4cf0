import { write, writeSync } from 'node:fs';
import type { DestinationStream } from 'pino';

interface LogOutputOptions {
  readonly descriptor: number;
  /** True for files: a pipe without a reader would block the process. */
  readonly isSync: boolean;
  /** Called after lines were dropped, when the descriptor takes bytes again. */
  readonly onLoss: (lines: number) => void;
}

/** Lines wait in memory up to this size while they can't be written. */
const maxPendingBytes = 1024 * 1024;
const retryMs = 1000;

/**
 * Writes the log to a descriptor. A failure, such as a full disk, never reaches the code that logs: the lines wait for the
 * next line or the next second.
 */
export class LogOutput implements DestinationStream {
  readonly #options: LogOutputOptions;
  readonly #pending: Buffer[] = [];
  #pendingBytes = 0;
  #lostLines = 0;
  #isWriting = false;
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
    this.#start();
  }

  #start(): void {
    if (this.#options.isSync) this.#writePending();
    else this.#writeLater();
  }

  #retryLater(): void {
    if (this.#retry !== undefined) return;
    this.#retry = setTimeout(() => {
      this.#retry = undefined;
      this.#start();
    }, retryMs).unref();
  }

  /** Ends at the first failure. */
  #writePending(): void {
    if (this.#isWriting) return;
    try {
      for (let next = this.#pending[0]; next !== undefined; next = this.#pending[0]) {
        this.#take(writeSync(this.#options.descriptor, next));
      }
    } catch {
      // It can't be reported: this is the log.
      return this.#retryLater();
    }
    this.#reportLoss();
  }

  #writeLater(): void {
    if (this.#isWriting || this.#pending.length === 0) return;
    const [first] = this.#pending;
    const isOne = first !== undefined && this.#pending.length === 1;
    const next = isOne ? first : Buffer.concat(this.#pending);
    if (!isOne) this.#pending.splice(0, this.#pending.length, next);
    this.#isWriting = true;
    write(this.#options.descriptor, next, (error, writtenBytes) => {
      this.#isWriting = false;
      if (error !== null) return this.#retryLater();
      this.#take(writtenBytes);
      if (this.#pending.length > 0) this.#writeLater();
      else this.#reportLoss();
    });
  }

  #take(writtenBytes: number): void {
    const [first] = this.#pending;
    if (first === undefined) return;
    this.#pendingBytes -= writtenBytes;
    if (writtenBytes === first.byteLength) this.#pending.shift();
    else this.#pending[0] = first.subarray(writtenBytes);
  }

  #reportLoss(): void {
    if (this.#lostLines === 0) return;
    const lines = this.#lostLines;
    this.#lostLines = 0;
    this.#options.onLoss(lines);
  }
}
