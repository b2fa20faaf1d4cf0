import { HearthError } from '../../contract/errors.ts';
import { FairQueue } from '../../concurrency/fair-queue.ts';

interface Waiter {
  readonly start: () => void;
  readonly fail: (error: unknown) => void;
}

/**
 * Assigns the slots of an engine. Other requests wait, up to a maximum: clients take turns, and the requests of
 * one client keep their order; clients that are `lastInTurn` wait for all others. No slot is assigned before `open`.
 */
export class SlotQueue {
  readonly #slotCount: number;
  readonly #capacity: number;
  readonly #waiters = new FairQueue<Waiter>();
  /** Waiting requests that had a slot before. */
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

  /** Starts assigning slots. */
  open(): void {
    this.#isOpen = true;
    while (this.#activeCount < this.#slotCount && this.waitingCount > 0) {
      this.#activeCount += 1;
      this.#next?.start();
    }
  }

  /**
   * Waits for a slot. The promise resolves when one is assigned, and stays assigned until `release`. It rejects with
   * the signal's reason, with the error that the queue was closed with, or with `queue_full` if a client that
   * has far fewer requests displaced this one.
   *
   * @throws HearthError `queue_full` at once, or the error that the queue was closed with; the signal's reason.
   */
  enter(clientKey: string, signal: AbortSignal): Promise<void> {
    if (this.#takeFree(signal)) return Promise.resolve();
    const waitingCount = this.#waiters.length;
    const freeCount = this.#slotCount + this.#capacity - this.#activeCount - waitingCount;
    if (freeCount <= 0) this.#makeRoomFor(clientKey);
    return this.#waitIn(this.#waiters, clientKey, signal);
  }

  /**
   * Like `enter`, for a request that had a slot before: it goes ahead of requests that have not begun, and the
   * maximum does not apply.
   *
   * @throws HearthError the error that the queue was closed with; the signal's reason.
   */
  reenter(clientKey: string, signal: AbortSignal): Promise<void> {
    if (this.#takeFree(signal)) return Promise.resolve();
    return this.#waitIn(this.#returners, clientKey, signal);
  }

  /** Assigns the slot to the next request. */
  release(): void {
    const next = this.#next;
    if (next === undefined) this.#activeCount -= 1;
    else next.start();
  }

  /** Fails all waiting and later requests. */
  close(error: HearthError): void {
    this.#closedWith = error;
    for (let next = this.#next; next !== undefined; next = this.#next) next.fail(error);
  }

  get #next(): Waiter | undefined {
    const urgent = this.#returners.urgent ?? this.#waiters.urgent;
    return urgent ?? this.#returners.first ?? this.#waiters.first;
  }

  #takeFree(signal: AbortSignal): boolean {
    signal.throwIfAborted();
    if (this.#closedWith !== undefined) throw this.#closedWith;
    const isFree = this.#isOpen && this.#activeCount < this.#slotCount;
    if (isFree) this.#activeCount += 1;
    return isFree;
  }

  #waitIn(queue: FairQueue<Waiter>, clientKey: string, signal: AbortSignal): Promise<void> {
    return new Promise<void>((resolve, reject) => {
      const leave = (): void => {
        queue.remove(clientKey, waiter);
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
      queue.add(clientKey, waiter);
      signal.addEventListener('abort', abandon);
    });
  }

  /** @throws HearthError `queue_full` if no client has far more requests in the queue than this one. */
  #makeRoomFor(clientKey: string): void {
    const error = this.#fullError();
    const displaced = this.#waiters.displacedBy(clientKey);
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
