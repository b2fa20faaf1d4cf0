import { FairQueue } from '../../kernel/concurrency/fair-queue.ts';
import { HearthError } from '../../kernel/errors/errors.ts';
import type { SlotManager } from '../states/slot-manager.ts';
import { decide, type SchedulerAction } from './decide.ts';
import { Place, type PlaceOwner } from './place.ts';

interface Waiter {
  readonly grant: (place: Place) => void;
  readonly fail: (error: unknown) => void;
}

/** A request that waits for a place. */
export interface Waiting {
  /** Rejects as described at `Scheduler.enter`. */
  readonly place: Promise<Place>;
  /** The place, if the request did not have to wait. */
  readonly granted?: Place;
  /** Position in the queue, from 1; undefined once the request has its place. */
  readonly position: number | undefined;
}

/**
 * The queue of one instance. A request enters the queue, gets a place, and takes a slot once its prompt is ready.
 * Clients take turns, and the requests of one client keep their order; clients with `withIdlePriority` wait for all
 * others. `decide` makes all decisions.
 */
export class Scheduler implements PlaceOwner {
  readonly #slotCount: number;
  readonly #capacity: number;
  readonly #waiters = new FairQueue<Waiter>();
  /** Waiting requests that had a place before. */
  readonly #returners = new FairQueue<Waiter>();
  /** In order of arrival. */
  readonly #places = new Set<Place>();
  #manager: SlotManager | undefined;
  /** Number of requests without a place. */
  #queuedCount = 0;
  /** The place that has the turn of prefill. */
  reader: Place | undefined;
  #isOpen = false;
  #isDeciding = false;
  #closedWith: HearthError | undefined;
  /** Weighted mean of the times for which requests keep their places. Recent requests weigh most. */
  #usualSeconds: number | undefined;

  /** @param capacity Maximum number of requests that wait for a place. */
  constructor(slotCount: number, capacity: number) {
    this.#slotCount = slotCount;
    this.#capacity = capacity;
  }

  /** Number of requests with a place that do not wait for a slot. */
  get activeCount(): number {
    return [...this.#places].filter(({ state }) => state !== 'ready').length;
  }

  get waitingCount(): number {
    return this.#queuedCount + this.#places.size - this.activeCount;
  }

  /** Approximate time that a new request would wait for its place. */
  get waitSeconds(): number {
    const waiting = this.#queuedCount;
    if (this.#places.size + waiting < this.#slotCount) return 0;
    const [oldest] = this.#places;
    const seconds = this.#usualSeconds ?? (oldest === undefined ? 0 : secondsSince(oldest));
    return ((waiting + 1) / this.#slotCount) * seconds;
  }

  /** Call it when the model's load begins: places are assigned from now on. */
  open(): void {
    this.#isOpen = true;
    this.advance();
  }

  /** Call it when the engine is ready. Without a manager, the engine chooses the slots itself. */
  manage(manager: SlotManager | undefined): void {
    this.#manager = manager;
    if (manager !== undefined) manager.table.onFree = this.advance;
  }

  /**
   * Waits for a place. `Waiting.place` rejects with the signal's reason, with the error of `close`, or with
   * `queue_full` if this request was displaced for a client that has far fewer requests.
   *
   * @throws HearthError `queue_full`, or the error of `close`; the signal's reason.
   */
  enter(clientKey: string, signal: AbortSignal): Waiting {
    this.#assertOpen(signal);
    const atOnce = this.#enterAtOnce();
    if (atOnce !== undefined) return atOnce;
    const isFull = this.#places.size + this.#waiters.length >= this.#slotCount + this.#capacity;
    if (isFull) this.#makeRoomFor(clientKey);
    return this.#waitIn(this.#waiters, clientKey, signal);
  }

  /**
   * Like `enter`, for a request that had a place before, to which the queue's maximum does not apply.
   *
   * @param isAhead True if the request goes ahead of requests that have not begun.
   * @throws HearthError the error of `close`; the signal's reason.
   */
  reenter(
    clientKey: string,
    signal: AbortSignal,
    { isAhead = true }: { readonly isAhead?: boolean } = {},
  ): Waiting {
    this.#assertOpen(signal);
    const queue = isAhead ? this.#returners : this.#waiters;
    return this.#enterAtOnce() ?? this.#waitIn(queue, clientKey, signal);
  }

  /** Fails all waiting and later requests. */
  close(error: HearthError): void {
    this.#closedWith = error;
    for (let next = this.#next; next !== undefined; next = this.#next) next.fail(error);
  }

  /** Decides until every request has to wait. Must be called after each change. */
  readonly advance = (): void => {
    if (this.#isDeciding) return;
    this.#isDeciding = true;
    try {
      for (let action = this.#decide(); action !== undefined; action = this.#decide()) {
        this.#apply(action);
      }
    } finally {
      this.#isDeciding = false;
    }
  };

  /** Assigns a free place at once if no other request waits. */
  #enterAtOnce(): Waiting | undefined {
    const isFree = this.#queuedCount === 0 && this.#places.size < this.#slotCount;
    if (!this.#isOpen || !isFree) return undefined;
    const place = this.#newPlace();
    return { place: Promise.resolve(place), granted: place, position: undefined };
  }

  #newPlace(): Place {
    const place = new Place(this);
    this.#places.add(place);
    return place;
  }

  /** Position of a place in the queue for a slot, from 1; undefined if the place does not wait. */
  positionOf(place: Place): number | undefined {
    const index = this.#ready.indexOf(place);
    return index === -1 ? undefined : index + 1;
  }

  /** Frees a place. */
  leave(place: Place): void {
    if (!this.#places.delete(place)) return;
    const seconds = secondsSince(place);
    this.#usualSeconds = ((this.#usualSeconds ?? seconds) + seconds) / 2;
    if (this.reader === place) this.reader = undefined;
    this.advance();
  }

  #decide(): SchedulerAction<Place> | undefined {
    const table = this.#manager?.table;
    const cache = table?.canRunFull === true ? table : undefined;
    return decide({
      isOpen: this.#isOpen,
      slotCount: this.#slotCount,
      totalCells: cache?.cacheSize?.totalCells ?? Infinity,
      busyCells: cache?.busyCells ?? 0,
      isPrefilling: this.reader !== undefined,
      waitingCount: this.#queuedCount,
      placeCount: this.#places.size,
      places: this.#places,
    });
  }

  #apply(action: SchedulerAction<Place>): void {
    switch (action.type) {
      case 'assign':
        this.#next?.grant(this.#newPlace());
        break;
      case 'grow':
        action.place.grow();
        break;
      case 'pause':
        action.place.pause();
        break;
      case 'prefill':
        this.reader = action.place;
        action.place.beginPrefill();
        break;
      case 'start':
        if (action.isLong) this.reader = action.place;
        action.place.take();
        break;
    }
  }

  get #ready(): readonly Place[] {
    return [...this.#places].filter(({ state }) => state === 'ready');
  }

  get #next(): Waiter | undefined {
    const urgent = this.#returners.urgent ?? this.#waiters.urgent;
    return urgent ?? this.#returners.first ?? this.#waiters.first;
  }

  #assertOpen(signal: AbortSignal): void {
    signal.throwIfAborted();
    if (this.#closedWith !== undefined) throw this.#closedWith;
  }

  #waitIn(queue: FairQueue<Waiter>, clientKey: string, signal: AbortSignal): Waiting {
    let isWaiting = true;
    let waiter: Waiter | undefined;
    const place = new Promise<Place>((resolve, reject) => {
      const leave = (): void => {
        isWaiting = false;
        this.#queuedCount -= 1;
        if (waiter !== undefined) queue.remove(clientKey, waiter);
        signal.removeEventListener('abort', abandon);
      };
      const abandon = (): void => waiter?.fail(signal.reason);
      waiter = {
        grant: (granted) => {
          leave();
          resolve(granted);
        },
        fail: (error) => {
          leave();
          reject(error);
        },
      };
      queue.add(clientKey, waiter);
      this.#queuedCount += 1;
      signal.addEventListener('abort', abandon);
    });
    this.advance();
    const position = (): number | undefined => {
      if (!isWaiting || waiter === undefined) return undefined;
      const isReturning = queue === this.#returners;
      const ahead = this.#ready.length + (isReturning ? 0 : this.#returners.length);
      return ahead + queue.positionOf(clientKey, waiter);
    };
    return {
      place,
      get position() {
        return position();
      },
    };
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
      `The queue of this model is full: ${this.activeCount} requests run and ` +
        `${this.waitingCount} wait (at most ${this.#capacity}). Try again soon.`,
      { retryAfterSeconds: 1 },
    );
  }
}

function secondsSince({ startMs }: Place): number {
  return (performance.now() - startMs) / 1000;
}
