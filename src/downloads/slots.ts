interface Waiter {
  readonly enter: () => void;
}

/** Lets a bounded number of works run at once; the others wait in the order in which they came. */
export class Slots {
  #free: number;
  #waiting: Waiter[] = [];

  constructor(limit: number) {
    this.#free = limit;
  }

  /** @throws The signal's reason when aborted while it waits. */
  async use<Result>(work: () => Promise<Result>, signal: AbortSignal): Promise<Result> {
    await this.#enter(signal);
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#free += 1;
      else next.enter();
    }
  }

  #enter(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#free > 0) {
      this.#free -= 1;
      return Promise.resolve();
    }
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        this.#waiting = this.#waiting.filter((other) => other !== waiter);
        reject(signal.reason);
      };
      const waiter = {
        enter: () => {
          signal.removeEventListener('abort', leave);
          resolve();
        },
      };
      this.#waiting.push(waiter);
      signal.addEventListener('abort', leave, { once: true });
    });
  }
}
