import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';

interface ResponseReaderOptions {
  /** Aborts the request; reading then throws its reason. */
  readonly signal: AbortSignal;
  /** Number of unread bytes above which the socket is paused; defaults to 1 MiB. */
  readonly pauseAboveBytes?: number;
}

/**
 * Receives one HTTP response from undici and returns it in batches: `read()` returns everything that has arrived,
 * without a Node stream in between.
 */
export class ResponseReader implements Dispatcher.DispatchHandler {
  /** Known once `started` has settled. */
  status = 0;
  /** Known once `started` has settled. */
  headers: IncomingHttpHeaders = {};
  readonly #signal: AbortSignal;
  readonly #pauseAboveBytes: number;
  #controller: Dispatcher.DispatchController | undefined;
  #chunks: Buffer[] = [];
  #unreadBytes = 0;
  #minIntervalMs = 0;
  #deliveredAt = 0;
  #timer: NodeJS.Timeout | undefined;
  #hasEnded = false;
  #failure: { readonly reason: unknown } | undefined;
  #waiter: (() => void) | undefined;

  constructor({ signal, pauseAboveBytes = 1024 * 1024 }: ResponseReaderOptions) {
    this.#signal = signal;
    this.#pauseAboveBytes = pauseAboveBytes;
    signal.addEventListener('abort', this.#abandon, { once: true });
  }

  /** Settles when the status is known or the request failed. */
  async started(): Promise<void> {
    while (this.status === 0) {
      this.#throwFailure();
      await this.#nextSignal();
    }
  }

  /** Waits for bytes and returns all that have arrived since the last call; undefined at the end. */
  async read(): Promise<readonly Buffer[] | undefined> {
    while (this.#chunks.length === 0) {
      this.#throwFailure();
      if (this.#hasEnded) {
        this.#forgetSignal();
        return undefined;
      }
      await this.#nextSignal();
    }
    const chunks = this.#chunks;
    this.#chunks = [];
    this.#unreadBytes = 0;
    this.#deliveredAt = performance.now();
    if (this.#controller?.paused === true) this.#controller.resume();
    return chunks;
  }

  /** Sets the minimum time between two batches; bytes that arrive earlier wait for the next one. */
  setMinimumInterval(intervalMs: number): void {
    this.#minIntervalMs = intervalMs;
  }

  /** Ends the request by closing its socket, and drops unread bytes. */
  abort(reason: unknown): void {
    this.#chunks = [];
    this.#fail(reason);
    if (!this.#hasEnded) this.#controller?.abort(new Error('aborted'));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#failure !== undefined) controller.abort(new Error('aborted'));
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: IncomingHttpHeaders,
  ): void {
    // An informational response, such as 103, comes before the actual one.
    if (status < 200) return;
    this.status = status;
    this.headers = headers;
    this.#wake();
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#unreadBytes += chunk.length;
    if (this.#unreadBytes > this.#pauseAboveBytes) controller.pause();
    const waitMs = this.#deliveredAt + this.#minIntervalMs - performance.now();
    if (waitMs < 1) {
      this.#wake();
    } else {
      this.#timer ??= setTimeout(() => this.#wake(), waitMs);
    }
  }

  onResponseEnd(): void {
    this.#hasEnded = true;
    this.#wake();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
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

  #throwFailure(): void {
    if (this.#failure !== undefined) throw this.#failure.reason;
  }

  #wake(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const waiter = this.#waiter;
    this.#waiter = undefined;
    waiter?.();
  }

  #nextSignal(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiter = resolve;
    });
  }
}
