/** Lets a limited number of tasks run at once; the others wait in order of arrival. */
export class Semaphore {
  readonly #waiting = new Set<() => void>();
  #free: number;

  /** @param permits Maximum number of running tasks. */
  constructor(permits: number) {
    this.#free = permits;
  }

  /**
   * Runs the task as soon as a permit is free, and releases the permit when the task has ended.
   *
   * @throws The signal's reason when aborted while waiting; a running task handles the signal itself.
   */
  async run<Result>(task: () => Promise<Result>, signal?: AbortSignal): Promise<Result> {
    await this.#acquire(signal);
    try {
      return await task();
    } finally {
      this.#release();
    }
  }

  #acquire(signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    if (this.#free > 0) {
      this.#free -= 1;
      return Promise.resolve();
    }
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        this.#waiting.delete(enter);
        reject(signal?.reason);
      };
      const enter = (): void => {
        signal?.removeEventListener('abort', leave);
        resolve();
      };
      this.#waiting.add(enter);
      signal?.addEventListener('abort', leave, { once: true });
    });
  }

  #release(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#free += 1;
    } else {
      this.#waiting.delete(next);
      next();
    }
  }
}

/** Runs tasks one at a time, in order of arrival. */
export class Mutex extends Semaphore {
  constructor() {
    super(1);
  }
}
