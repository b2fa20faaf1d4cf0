import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';

interface ResponseReaderOptions {
  /** Ends the request at once when aborted; its reason is what reading throws then. */
  readonly signal: AbortSignal;
  /** More unread bytes than this pause the socket until the reader catches up; 1 MiB unless given. */
  readonly pauseAboveBytes?: number;
}

/**
 * Receives one HTTP response from undici and hands it on in batches: all that one socket read brought
 * comes in one `read()`, without a Node stream in between.
 */
export class ResponseReader implements Dispatcher.DispatchHandler {
  /** Known once `started` has settled. */
  status = 0;
  /** Known like `status`. */
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

  /** The bytes that came since the last call, waiting for the first; undefined after the last. */
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

  /** From now on, what comes sooner after the last batch than this waits for the next one. */
  setMinimumInterval(intervalMs: number): void {
    this.#minIntervalMs = intervalMs;
  }

  /** Ends the request at once by closing its socket; what was not read yet is dropped. */
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
    // Such as 103, before the answer itself.
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
