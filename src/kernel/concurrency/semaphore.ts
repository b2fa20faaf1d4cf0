import { FairQueue } from './fair-queue.ts';

interface WaitingLimit {
  /** Maximum number of tasks that wait. */
  readonly maxWaiting: number;
  /** Creates the error of a task that can't wait because the queue is full, or that another client displaced. */
  readonly toFullError: () => Error;
}

interface Waiter {
  readonly enter: () => void;
  readonly fail: (reason: unknown) => void;
}

/**
 * Lets a limited number of tasks run at once. The others wait: clients take turns, and the tasks of one client keep
 * their order of arrival.
 */
export class Semaphore {
  readonly #limit: WaitingLimit | undefined;
  readonly #waiting = new FairQueue<Waiter>();
  #free: number;

  /**
   * @param permits Maximum number of running tasks.
   * @param limit Absent: any number of tasks may wait. If too many wait, the client with the most loses one to a client
   *   with fewer.
   */
  constructor(permits: number, limit?: WaitingLimit) {
    this.#free = permits;
    this.#limit = limit;
  }

  /**
   * Runs the task as soon as a permit is free, and releases the permit when the task has ended.
   *
   * @param clientKey Absent: the task of a client that all such tasks share.
   * @throws The signal's reason when aborted while waiting; a running task handles the signal itself. The error of the
   *   limit.
   */
  async run<Result>(
    task: () => Promise<Result>,
    signal?: AbortSignal,
    clientKey = '',
  ): Promise<Result> {
    await this.#acquire(signal, clientKey);
    try {
      return await task();
    } finally {
      this.#release();
    }
  }

  #acquire(signal: AbortSignal | undefined, clientKey: string): Promise<void> {
    signal?.throwIfAborted();
    if (this.#free > 0) {
      this.#free -= 1;
      return Promise.resolve();
    }
    if (this.#limit !== undefined) this.#makeRoom(this.#limit, clientKey);
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        this.#waiting.remove(clientKey, waiter);
        signal?.removeEventListener('abort', abandon);
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
      const abandon = (): void => waiter.fail(signal?.reason);
      this.#waiting.add(clientKey, waiter);
      signal?.addEventListener('abort', abandon);
    });
  }

  #makeRoom({ maxWaiting, toFullError }: WaitingLimit, clientKey: string): void {
    if (this.#waiting.length < maxWaiting) return;
    const error = toFullError();
    const displaced = this.#waiting.displacedBy(clientKey);
    if (displaced === undefined) throw error;
    displaced.fail(error);
  }

  #release(): void {
    const { first } = this.#waiting;
    if (first === undefined) this.#free += 1;
    else first.enter();
  }
}

/** Runs tasks one at a time, in order of arrival. */
export class Mutex extends Semaphore {
  constructor() {
    super(1);
  }
}
