import { FairQueue } from './fair-queue.ts';

interface FairSemaphoreOptions {
  /** Maximum number of running tasks. */
  readonly permits: number;
  readonly maxWaiting: number;
  /** Creates the error of a task that can't wait because the queue is full, or that another client displaced. */
  readonly toFullError: () => Error;
}

interface Waiter {
  readonly enter: () => void;
  readonly fail: (reason: unknown) => void;
}

/**
 * Lets a limited number of tasks run at once; clients take turns. If too many tasks wait, the client with the most
 * loses one to a client with fewer.
 */
export class FairSemaphore {
  readonly #options: FairSemaphoreOptions;
  readonly #queue = new FairQueue<Waiter>();
  #free: number;

  constructor(options: FairSemaphoreOptions) {
    this.#options = options;
    this.#free = options.permits;
  }

  /**
   * Runs the task as soon as a permit is free and it is the client's turn.
   *
   * @throws The error of `toFullError`; the signal's reason when aborted while waiting.
   */
  async run<Result>(
    clientKey: string,
    task: () => Promise<Result>,
    signal: AbortSignal,
  ): Promise<Result> {
    await this.#acquire(clientKey, signal);
    try {
      return await task();
    } finally {
      this.#release();
    }
  }

  async #acquire(clientKey: string, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#free > 0) {
      this.#free -= 1;
      return;
    }
    if (this.#queue.length >= this.#options.maxWaiting) this.#makeRoomFor(clientKey);
    await new Promise<void>((resolve, reject) => {
      const leave = (): void => {
        this.#queue.remove(clientKey, waiter);
        signal.removeEventListener('abort', abandon);
      };
      const waiter: Waiter = {
        enter: () => {
          leave();
          resolve();
        },
        fail: (reason) => {
          leave();
          reject(reason);
        },
      };
      const abandon = (): void => waiter.fail(signal.reason);
      this.#queue.add(clientKey, waiter);
      signal.addEventListener('abort', abandon);
    });
  }

  #makeRoomFor(clientKey: string): void {
    const error = this.#options.toFullError();
    const displaced = this.#queue.displacedBy(clientKey);
    if (displaced === undefined) throw error;
    displaced.fail(error);
  }

  #release(): void {
    const { first } = this.#queue;
    if (first === undefined) this.#free += 1;
    else first.enter();
  }
}
