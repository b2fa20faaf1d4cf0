import { HearthError } from '../contract/errors.ts';
import { FairQueue } from '../concurrency/fair-queue.ts';

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
  readonly #waiters = new FairQueue<Waiter>();
  /** Those that gave their slot up for a while. */
  readonly #returners = new FairQueue<Waiter>();
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
    return this.#waiters.length + this.#returners.length;
  }

  /** Lets the first in: the engine is there. */
  open(): void {
    this.#isOpen = true;
    while (this.#activeCount < this.#slotCount && this.waitingCount > 0) {
      this.#activeCount += 1;
      this.#next?.start();
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
    if (this.#takeFree(signal)) return Promise.resolve();
    const waitingCount = this.#waiters.length;
    const freeCount = this.#slotCount + this.#capacity - this.#activeCount - waitingCount;
    if (freeCount <= 0) this.#makeRoomFor(caller);
    return this.#waitIn(this.#waiters, caller, signal);
  }

  /**
   * Like `enter`, for one that had a slot and released it for a while: it comes before those that have not begun,
   * and there is always room for it.
   *
   * @throws HearthError what the queue was closed with.
   */
  reenter(caller: string, signal: AbortSignal): Promise<void> {
    if (this.#takeFree(signal)) return Promise.resolve();
    return this.#waitIn(this.#returners, caller, signal);
  }

  /** Hands the slot to the next in line. */
  release(): void {
    const next = this.#next;
    if (next === undefined) this.#activeCount -= 1;
    else next.start();
  }

  /** Fails all that wait and all that come. */
  close(error: HearthError): void {
    this.#closedWith = error;
    for (let next = this.#next; next !== undefined; next = this.#next) next.fail(error);
  }

  get #next(): Waiter | undefined {
    return this.#returners.first ?? this.#waiters.first;
  }

  #takeFree(signal: AbortSignal): boolean {
    signal.throwIfAborted();
    if (this.#closedWith !== undefined) throw this.#closedWith;
    const isFree = this.#isOpen && this.#activeCount < this.#slotCount;
    if (isFree) this.#activeCount += 1;
    return isFree;
  }

  #waitIn(line: FairQueue<Waiter>, caller: string, signal: AbortSignal): Promise<void> {
    return new Promise<void>((resolve, reject) => {
      const leave = (): void => {
        line.remove(caller, waiter);
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
      line.add(caller, waiter);
      signal.addEventListener('abort', abandon, { once: true });
    });
  }

  /** @throws HearthError `queue_full` where nobody has to give a place to this caller. */
  #makeRoomFor(caller: string): void {
    const error = this.#fullError();
    const displaced = this.#waiters.displacedBy(caller);
    if (displaced === undefined) throw error;
    displaced.fail(error);
  }

  #fullError(): HearthError {
    return new HearthError(
      'queue_full',
      `The queue of this model is full: ${this.#activeCount} requests run and ` +
        `${this.waitingCount} wait (limits.queuedRequests is ${this.#capacity}). Try again soon.`,
      { retryAfterSeconds: 1 },
    );
  }
}
