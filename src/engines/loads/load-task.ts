import { abortable } from '../../kernel/concurrency/abortable.ts';

type Listener = (fraction: number) => void;

/** The load of one instance, from the queue to its end, shared by all requests that wait for it. */
export class LoadTask {
  readonly #controller = new AbortController();
  readonly #listeners = new Set<Listener>();
  #fraction = 0;
  #resolve: () => void = () => {};
  #reject: (error: unknown) => void = () => {};
  /** Settles when the load has succeeded or failed. */
  readonly done: Promise<void>;

  constructor() {
    this.done = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    // The waiting requests handle a failure. If there are none, it must not become an unhandled rejection.
    this.done.catch(() => {});
  }

  /** Aborts when the load is canceled. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Loaded fraction, 0 to 1. */
  get fraction(): number {
    return this.#fraction;
  }

  report(fraction: number): void {
    this.#fraction = fraction;
    for (const listener of this.#listeners) listener(fraction);
  }

  succeed(): void {
    this.#resolve();
  }

  fail(error: unknown): void {
    this.#reject(error);
  }

  cancel(reason: unknown): void {
    this.#controller.abort(reason);
  }

  /**
   * Waits for the end of the load.
   *
   * @throws The load's error; the signal's reason.
   */
  async join(signal: AbortSignal, onProgress: Listener): Promise<void> {
    this.#listeners.add(onProgress);
    try {
      await abortable(this.done, signal);
    } finally {
      this.#listeners.delete(onProgress);
    }
  }
}
