import { HearthError } from '../contract/errors.ts';

interface Waiter {
  readonly start: () => void;
  readonly fail: (error: unknown) => void;
}

/**
 * Admits as many requests at once as an engine has slots; the others wait in order of arrival, up to a
 * bound.
 */
export class SlotQueue {
  readonly #slotCount: number;
  readonly #capacity: number;
  readonly #waiters = new Set<Waiter>();
  #activeCount = 0;
  #closedWith: HearthError | undefined;

  constructor(slotCount: number, capacity: number) {
    this.#slotCount = slotCount;
    this.#capacity = capacity;
  }

  get activeCount(): number {
    return this.#activeCount;
  }

  get waitingCount(): number {
    return this.#waiters.size;
  }

  /**
   * Throws where a request would have to wait and the queue is full.
   *
   * @param arrivingCount Requests on their way here that do not wait yet.
   * @throws HearthError `queue_full`.
   */
  assertRoom(arrivingCount = 0): void {
    const freeCount = this.#slotCount - this.#activeCount + this.#capacity - this.#waiters.size;
    if (arrivingCount < freeCount) return;
    throw new HearthError(
      'queue_full',
      `The queue of this model is full: ${this.#activeCount} requests run and ` +
        `${this.#waiters.size + arrivingCount} wait (limits.queuedRequests is ${this.#capacity}). Try again soon.`,
      { retryAfterSeconds: 1 },
    );
  }

  /**
   * Resolves when a slot is free; the caller holds it until it calls `release`.
   *
   * @throws HearthError `queue_full`, or what the queue was closed with; the signal's reason.
   */
  async acquire(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#closedWith !== undefined) throw this.#closedWith;
    if (this.#activeCount < this.#slotCount) {
      this.#activeCount += 1;
      return;
    }
    this.assertRoom();
    await new Promise<void>((resolve, reject) => {
      const leave = (): void => {
        this.#waiters.delete(waiter);
        signal.removeEventListener('abort', abandon);
      };
      const abandon = (): void => waiter.fail(signal.reason);
      const waiter: Waiter = {
        start: () => {
          leave();
          resolve();
        },
        fail: (error) => {
          leave();
          reject(error);
        },
      };
      this.#waiters.add(waiter);
      signal.addEventListener('abort', abandon, { once: true });
    });
  }

  /** Hands the slot to the next in line. */
  release(): void {
    const [next] = this.#waiters;
    if (next === undefined) {
      this.#activeCount -= 1;
    } else {
      next.start();
    }
  }

  /** Fails all that wait and all that come. */
  close(error: HearthError): void {
    this.#closedWith = error;
    for (const waiter of this.#waiters) waiter.fail(error);
  }
}
