import type { Dispatcher } from 'undici';

/** More unread bytes than this pause the socket until the reader catches up. */
const pauseAboveBytes = 1024 * 1024;

/**
 * Receives one HTTP response from undici and hands it on in batches: all that one socket read brought
 * comes in one `read()`, without a Node stream in between.
 */
export class ResponseReader implements Dispatcher.DispatchHandler {
  /** Known once `started` has settled. */
  status = 0;
  #controller: Dispatcher.DispatchController | undefined;
  #chunks: Buffer[] = [];
  #unreadBytes = 0;
  #minIntervalMs = 0;
  #deliveredAt = 0;
  #timer: NodeJS.Timeout | undefined;
  #hasEnded = false;
  #failure: { readonly reason: unknown } | undefined;
  #waiter: (() => void) | undefined;

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
      if (this.#hasEnded) return undefined;
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

  onResponseStart(_controller: Dispatcher.DispatchController, status: number): void {
    this.status = status;
    this.#wake();
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#unreadBytes += chunk.length;
    if (this.#unreadBytes > pauseAboveBytes) controller.pause();
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

  #fail(reason: unknown): void {
    this.#failure ??= { reason };
    this.#wake();
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
