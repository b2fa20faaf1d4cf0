import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';

/** Shared, since creating its stack trace would cost more than the rest of a response's end. */
const closed = new Error('closed');
const aborted = new Error('aborted');

interface ResponseReaderOptions {
  /** Aborts the request; reading then throws the signal's reason. */
  readonly signal: AbortSignal;
  /** Number of unread bytes above which the socket is paused; defaults to 1 MiB. */
  readonly pauseAboveBytes?: number;
  /** Converts the reason of a failure to the error to throw. */
  readonly toError?: (reason: unknown) => unknown;
}

/** The part of undici's controller that a reader uses. */
type ResponseController = Pick<Dispatcher.DispatchController, 'pause' | 'resume' | 'abort'>;

/** Undefined at the end. */
type Batch = readonly Buffer[] | undefined;

interface Waiter {
  /** True if the reader waits for the status instead of bytes. */
  readonly isForStart: boolean;
  readonly toError: (reason: unknown) => unknown;
  readonly resolve: (batch: Batch) => void;
  readonly reject: (reason: unknown) => void;
}

/**
 * Receives one HTTP response from undici or Node's client and returns it in batches. `read()` returns everything that
 * has arrived. This avoids the cost of a Node stream.
 */
export class ResponseReader implements Dispatcher.DispatchHandler {
  /** Known once `started` has settled. */
  status = 0;
  /** Known once `started` has settled. */
  headers: IncomingHttpHeaders = {};
  readonly #signal: AbortSignal;
  readonly #pauseAboveBytes: number;
  readonly #toError: (reason: unknown) => unknown;
  #controller: ResponseController | undefined;
  #chunks: Buffer[] = [];
  #unreadBytes = 0;
  #isPaused = false;
  #minIntervalMs = 0;
  #deliveredAt = 0;
  #dueAt = 0;
  #timer: NodeJS.Timeout | undefined;
  #hasEnded = false;
  /** True if the end was read. */
  #isRead = false;
  #failure: { readonly reason: unknown } | undefined;
  #waiter: Waiter | undefined;
  #isWakeScheduled = false;

  constructor(options: ResponseReaderOptions) {
    const { signal, pauseAboveBytes = 1024 * 1024, toError = (reason) => reason } = options;
    this.#signal = signal;
    this.#pauseAboveBytes = pauseAboveBytes;
    this.#toError = toError;
    signal.addEventListener('abort', this.#abandon);
  }

  /** Settles when the status is known or the request failed. */
  async started(): Promise<void> {
    await this.#wait(true, this.#toError);
  }

  /** Waits for bytes and returns all that have arrived since the last call; undefined at the end. */
  read(toError = this.#toError): Promise<Batch> {
    // No `await`: it would cost a promise for each token of each stream.
    return this.#wait(false, toError);
  }

  #wait(isForStart: boolean, toError: Waiter['toError']): Promise<Batch> {
    return new Promise((resolve, reject) => {
      this.#waiter = { isForStart, toError, resolve, reject };
      this.#settle();
    });
  }

  readonly #settle = (): void => {
    this.#isWakeScheduled = false;
    const waiter = this.#waiter;
    if (waiter === undefined) return;
    const { isForStart, toError, resolve, reject } = waiter;
    const hasNews = isForStart ? this.status !== 0 : this.#chunks.length > 0 || this.#hasEnded;
    if (!hasNews && this.#failure === undefined) return;
    this.#waiter = undefined;
    if (isForStart && hasNews) return resolve(undefined);
    if (this.#chunks.length === 0) {
      if (this.#failure !== undefined) return reject(toError(this.#failure.reason));
      this.#signal.removeEventListener('abort', this.#abandon);
      this.#isRead = true;
      return resolve(undefined);
    }
    const chunks = this.#chunks;
    this.#chunks = [];
    this.#unreadBytes = 0;
    // A timer may fire a millisecond early; the next batch must not follow at once.
    this.#deliveredAt = Math.max(performance.now(), this.#dueAt);
    if (this.#isPaused) this.#controller?.resume();
    this.#isPaused = false;
    resolve(chunks);
  };

  /** Delivers at most one batch per interval; later bytes wait for the next batch. */
  setMinimumInterval(intervalMs: number): void {
    this.#minIntervalMs = intervalMs;
  }

  /** Like `abort`, for a response that is no longer needed. Does nothing after its end was read. */
  close(): void {
    if (!this.#isRead) this.abort(closed);
  }

  /** Ends the request by closing its socket, and drops unread bytes. */
  abort(reason: unknown): void {
    this.#chunks = [];
    this.#fail(reason);
    if (!this.#hasEnded) this.#controller?.abort(aborted);
  }

  onRequestStart(controller: ResponseController): void {
    this.#controller = controller;
    if (this.#failure !== undefined) controller.abort(aborted);
  }

  onResponseStart(
    _controller: ResponseController,
    status: number,
    headers: IncomingHttpHeaders,
  ): void {
    // Ignores informational responses, such as 103, which precede the actual one.
    if (status < 200) return;
    this.status = status;
    this.headers = headers;
    this.#wake();
  }

  onResponseData(controller: ResponseController, chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#unreadBytes += chunk.length;
    if (this.#unreadBytes > this.#pauseAboveBytes && !this.#isPaused) {
      this.#isPaused = true;
      controller.pause();
    }
    const intervalMs = this.#minIntervalMs;
    // All responses deliver their batches at the same times, since separate deliveries cost more.
    this.#dueAt =
      intervalMs === 0 ? 0 : (Math.floor(this.#deliveredAt / intervalMs) + 1) * intervalMs;
    const waitMs = this.#dueAt - performance.now();
    if (waitMs < 1) this.#wake();
    else this.#timer ??= setTimeout(() => this.#wake(), waitMs);
  }

  onResponseEnd(): void {
    this.#hasEnded = true;
    this.#wake();
  }

  onResponseError(_controller: ResponseController, error: Error): void {
    this.#fail(error);
  }

  readonly #abandon = (): void => this.abort(this.#signal.reason);

  #fail(reason: unknown): void {
    this.#signal.removeEventListener('abort', this.#abandon);
    this.#failure ??= { reason };
    this.#wake();
  }

  /** Wakes the reader after the present socket read, whose chunks undici passes on one by one. */
  #wake(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#waiter === undefined || this.#isWakeScheduled) return;
    this.#isWakeScheduled = true;
    queueMicrotask(this.#settle);
  }
}
