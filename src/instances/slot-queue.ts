import { HearthError } from '../contract/errors.ts';

interface Waiter {
  readonly start: () => void;
  readonly fail: (error: unknown) => void;
}

/**
 * Admits as many requests at once as an engine has slots. The others wait, up to a bound: callers take turns,
 * and those of one caller go in order of arrival. Nobody is admitted before `open`.
 */
export class SlotQueue {
  readonly #slotCount: number;
  readonly #capacity: number;
  /** Those that wait, by caller; the caller whose turn is next comes first. None of the sets is empty. */
  readonly #waiters = new Map<string, Set<Waiter>>();
  #waitingCount = 0;
  #activeCount = 0;
  #isOpen = false;
  #closedWith: HearthError | undefined;

  constructor(slotCount: number, capacity: number) {
    this.#slotCount = slotCount;
    this.#capacity = capacity;
  }

  get activeCount(): number {
    return this.#activeCount;
  }

  get waitingCount(): number {
    return this.#waitingCount;
  }

  /** Lets the first in: the engine is there. */
  open(): void {
    this.#isOpen = true;
    while (this.#activeCount < this.#slotCount && this.#waitingCount > 0) {
      this.#activeCount += 1;
      this.#startNext();
    }
  }

  /**
   * Takes a place in line. The promise resolves when a slot is free; the caller holds it until it calls
   * `release`. It rejects with the signal's reason, with what the queue was closed with, or with `queue_full`
   * where the place went to a caller that had far fewer.
   *
   * @throws HearthError `queue_full` at once, or what the queue was closed with.
   */
  enter(caller: string, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#closedWith !== undefined) throw this.#closedWith;
    if (this.#isOpen && this.#activeCount < this.#slotCount) {
      this.#activeCount += 1;
      return Promise.resolve();
    }
    const freeCount = this.#slotCount + this.#capacity - this.#activeCount - this.#waitingCount;
    if (freeCount <= 0) this.#makeRoomFor(caller);
    return new Promise<void>((resolve, reject) => {
      const leave = (): void => {
        this.#remove(caller, waiter);
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
      this.#add(caller, waiter);
      signal.addEventListener('abort', abandon, { once: true });
    });
  }

  /** Hands the slot to the next in line. */
  release(): void {
    if (this.#waitingCount === 0) this.#activeCount -= 1;
    else this.#startNext();
  }

  /** Fails all that wait and all that come. */
  close(error: HearthError): void {
    this.#closedWith = error;
    for (const waiters of this.#waiters.values()) {
      for (const waiter of waiters) waiter.fail(error);
    }
  }

  #startNext(): void {
    const [turn] = this.#waiters;
    if (turn === undefined) return;
    const [caller, waiters] = turn;
    const [next] = waiters;
    // Whoever had a turn goes to the end of the round.
    this.#waiters.delete(caller);
    this.#waiters.set(caller, waiters);
    next?.start();
  }

  #add(caller: string, waiter: Waiter): void {
    const waiters = this.#waiters.get(caller);
    if (waiters === undefined) this.#waiters.set(caller, new Set([waiter]));
    else waiters.add(waiter);
    this.#waitingCount += 1;
  }

  #remove(caller: string, waiter: Waiter): void {
    const waiters = this.#waiters.get(caller);
    if (waiters?.delete(waiter) !== true) return;
    this.#waitingCount -= 1;
    if (waiters.size === 0) this.#waiters.delete(caller);
  }

  /**
   * Turns away the newest request of the caller that has most of them waiting, where even then it has as many as
   * this caller: so one caller's hundred requests shut nobody out, and two callers do not displace each other
   * for ever.
   *
   * @throws HearthError `queue_full` where nobody has that many.
   */
  #makeRoomFor(caller: string): void {
    const error = this.#fullError();
    let most: ReadonlySet<Waiter> = new Set();
    for (const waiters of this.#waiters.values()) if (waiters.size > most.size) most = waiters;
    const ownCount = this.#waiters.get(caller)?.size ?? 0;
    const newest = [...most].at(-1);
    if (newest === undefined || ownCount + 1 > most.size - 1) throw error;
    newest.fail(error);
  }

  #fullError(): HearthError {
    return new HearthError(
      'queue_full',
      `The queue of this model is full: ${this.#activeCount} requests run and ` +
        `${this.#waitingCount} wait (limits.queuedRequests is ${this.#capacity}). Try again soon.`,
      { retryAfterSeconds: 1 },
    );
  }
}
