import { abortable } from '../concurrency/abortable.ts';

type Listener = (fraction: number) => void;

/** A load under way, which all that need its result wait for together. */
export class LoadTask {
  readonly #controller = new AbortController();
  readonly #listeners = new Set<Listener>();
  #fraction = 0;
  /** Settles when the load has ended, either way. */
  readonly done: Promise<void>;

  constructor(run: (signal: AbortSignal, onProgress: Listener) => Promise<void>) {
    this.done = run(this.#controller.signal, (fraction) => {
      this.#fraction = fraction;
      for (const listener of this.#listeners) listener(fraction);
    });
    // Those that wait see the failure; without any it must not count as unhandled.
    this.done.catch(() => {});
  }

  /** How far it is, 0 to 1. */
  get fraction(): number {
    return this.#fraction;
  }

  /** Waits for the end of the load; throws what made it fail, or the signal's reason. */
  async join(signal: AbortSignal, onProgress: Listener): Promise<void> {
    this.#listeners.add(onProgress);
    try {
      await abortable(this.done, signal);
    } finally {
      this.#listeners.delete(onProgress);
    }
  }

  cancel(reason: unknown): void {
    this.#controller.abort(reason);
  }
}
