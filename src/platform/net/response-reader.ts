import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';

/** Made once: its stack costs more than the rest of an end. */
const closed = new Error('closed');

interface ResponseReaderOptions {
  /** Aborts the request; reading then throws its reason. */
  readonly signal: AbortSignal;
  /** Number of unread bytes above which the socket is paused; defaults to 1 MiB. */
  readonly pauseAboveBytes?: number;
}

/** The part of undici's controller that a reader uses. */
type ResponseController = Pick<
  Dispatcher.DispatchController,
  'paused' | 'pause' | 'resume' | 'abort'
>;

/** Undefined at the end. */
type Batch = readonly Buffer[] | undefined;

/**
 * Receives one HTTP response from undici or Node's client and returns it in batches: `read()` returns everything that has arrived,
 * without a Node stream in between.
 */
export class ResponseReader implements Dispatcher.DispatchHandler {
  /** Known once `started` has settled. */
  status = 0;
  /** Known once `started` has settled. */
  headers: IncomingHttpHeaders = {};
  readonly #signal: AbortSignal;
  readonly #pauseAboveBytes: number;
  #controller: ResponseController | undefined;
  #chunks: Buffer[] = [];
  #unreadBytes = 0;
  #minIntervalMs = 0;
  #deliveredAt = 0;
  #dueAt = 0;
  #timer: NodeJS.Timeout | undefined;
  #hasEnded = false;
  #failure: { readonly reason: unknown } | undefined;
  #waiter: (() => void) | undefined;
  #isWakeScheduled = false;

  constructor({ signal, pauseAboveBytes = 1024 * 1024 }: ResponseReaderOptions) {
    this.#signal = signal;
    this.#pauseAboveBytes = pauseAboveBytes;
    signal.addEventListener('abort', this.#abandon);
  }

  /** Settles when the status is known or the request failed. */
  async started(): Promise<void> {
    while (this.status === 0) {
      if (this.#failure !== undefined) throw this.#failure.reason;
      await new Promise<void>((resolve) => {
        this.#waiter = resolve;
      });
    }
  }

  /**
   * Waits for bytes and returns all that have arrived since the last call; undefined at the end.
   *
   * @param toError Converts the reason of a failure to what is thrown.
   */
  read(toError: (reason: unknown) => unknown = (reason) => reason): Promise<Batch> {
    // Each `await` here would cost every token of every stream a promise.
    return new Promise((resolve, reject) => {
      const settle = (): void => {
        if (this.#chunks.length > 0) resolve(this.#take());
        else if (this.#failure !== undefined) reject(toError(this.#failure.reason));
        else if (this.#hasEnded) {
          this.#forgetSignal();
          resolve(undefined);
        } else this.#waiter = settle;
      };
      settle();
    });
  }

  #take(): readonly Buffer[] {
    const chunks = this.#chunks;
    this.#chunks = [];
    this.#unreadBytes = 0;
    // A timer may fire a millisecond early: its batch must not be followed by another one at once.
    this.#deliveredAt = Math.max(performance.now(), this.#dueAt);
    if (this.#controller?.paused === true) this.#controller.resume();
    return chunks;
  }

  /** Delivers at most one batch in each interval; bytes that arrive later in it wait for the next one. */
  setMinimumInterval(intervalMs: number): void {
    this.#minIntervalMs = intervalMs;
  }

  /** As `abort`, for a response of which no more is wanted. */
  close(): void {
    this.abort(closed);
  }

  /** Ends the request by closing its socket, and drops unread bytes. */
  abort(reason: unknown): void {
    this.#chunks = [];
    this.#fail(reason);
    if (!this.#hasEnded) this.#controller?.abort(new Error('aborted'));
  }

  onRequestStart(controller: ResponseController): void {
    this.#controller = controller;
    if (this.#failure !== undefined) controller.abort(new Error('aborted'));
  }

  onResponseStart(
    _controller: ResponseController,
    status: number,
    headers: IncomingHttpHeaders,
  ): void {
    // An informational response, such as 103, comes before the actual one.
    if (status < 200) return;
    this.status = status;
    this.headers = headers;
    this.#wake();
  }

  onResponseData(controller: ResponseController, chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#unreadBytes += chunk.length;
    if (this.#unreadBytes > this.#pauseAboveBytes) controller.pause();
    this.#dueAt = this.#nextBatchAt();
    const waitMs = this.#dueAt - performance.now();
    if (waitMs < 1) this.#wake();
    else this.#timer ??= setTimeout(() => this.#wake(), waitMs);
  }

  /** All responses deliver their batches at the same times: one after the other costs more. */
  #nextBatchAt(): number {
    const intervalMs = this.#minIntervalMs;
    return intervalMs === 0 ? 0 : (Math.floor(this.#deliveredAt / intervalMs) + 1) * intervalMs;
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
    this.#forgetSignal();
    this.#failure ??= { reason };
    this.#wake();
  }

  #forgetSignal(): void {
    this.#signal.removeEventListener('abort', this.#abandon);
  }

  /** The waiter continues after the socket read, whose chunks undici passes on one by one. */
  #wake(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#waiter === undefined || this.#isWakeScheduled) return;
    this.#isWakeScheduled = true;
    queueMicrotask(this.#callWaiter);
  }

  readonly #callWaiter = (): void => {
    this.#isWakeScheduled = false;
    const waiter = this.#waiter;
    this.#waiter = undefined;
    waiter?.();
  };
}
