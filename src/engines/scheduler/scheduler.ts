import { FairQueue } from '../../concurrency/fair-queue.ts';
import { HearthError } from '../../contract/errors.ts';
import type { SlotManager, SlotUse } from '../states/slot-manager.ts';
import { decide, type SchedulerAction } from './decide.ts';

/** A prompt that is ready to be read, as the scheduler sees it. */
export interface ScheduledPrompt {
  /** May change while it waits, since a state of its beginning may have been saved. */
  readonly isLong: () => boolean;
  /** Cells that it would reserve now; undefined while no slot is free. */
  readonly cells: () => number | undefined;
  readonly isPausable: () => boolean;
  /** Takes a slot, before any other request is considered; undefined if the engine chooses it. */
  readonly take: () => Promise<SlotUse | undefined>;
  /** Ends the generation, which continues later. */
  readonly pause: () => void;
}

interface Waiter {
  readonly grant: (place: Place) => void;
  readonly fail: (error: unknown) => void;
}

/** A request that waits for a place. */
export interface Waiting {
  /** Rejects as `Scheduler.enter` says. */
  readonly place: Promise<Place>;
  /** From 1; undefined once it has its place. */
  readonly position: number | undefined;
}

/**
 * The queue of one instance. A request enters it, gets a place, and takes a slot once its prompt is ready. Clients take
 * turns, and the requests of one client keep their order; clients that are `lastInTurn` wait for all others. All
 * decisions are made by `decide`.
 */
export class Scheduler {
  readonly #slotCount: number;
  readonly #capacity: number;
  readonly #waiters = new FairQueue<Waiter>();
  /** Waiting requests that had a place before. */
  readonly #returners = new FairQueue<Waiter>();
  readonly #places = new Set<Place>();
  #manager: SlotManager | undefined;
  #reader: Place | undefined;
  #arrivals = 0;
  #isOpen = false;
  #isDeciding = false;
  #closedWith: HearthError | undefined;

  /** @param capacity Requests that may wait for a place. */
  constructor(slotCount: number, capacity: number) {
    this.#slotCount = slotCount;
    this.#capacity = capacity;
  }

  /** Requests with a place that do not wait for a slot. */
  get activeCount(): number {
    return [...this.#places].filter(({ state }) => state !== 'ready').length;
  }

  get waitingCount(): number {
    return this.#waiters.length + this.#returners.length + this.#places.size - this.activeCount;
  }

  /** The model's load begins: places are assigned from now on. */
  open(): void {
    this.#isOpen = true;
    this.advance();
  }

  /** The engine is ready. Without a manager it chooses its slots itself. */
  manage(manager: SlotManager | undefined): void {
    this.#manager = manager;
    manager?.onFree(() => this.advance());
  }

  /**
   * Waits for a place. Its promise rejects with the signal's reason, with the error that the queue was closed with, or
   * with `queue_full` if a client that has far fewer requests displaced this one.
   *
   * @throws HearthError `queue_full` at once, or the error that the queue was closed with; the signal's reason.
   */
  enter(clientKey: string, signal: AbortSignal): Waiting {
    this.#assertOpen(signal);
    const isFull = this.#places.size + this.#waiters.length >= this.#slotCount + this.#capacity;
    if (isFull) this.#makeRoomFor(clientKey);
    return this.#waitIn(this.#waiters, clientKey, signal);
  }

  /**
   * Like `enter`, for a request that had a place before: the maximum does not apply.
   *
   * @param isAhead Whether it goes ahead of requests that have not begun.
   * @throws HearthError the error that the queue was closed with; the signal's reason.
   */
  reenter(
    clientKey: string,
    signal: AbortSignal,
    { isAhead = true }: { readonly isAhead?: boolean } = {},
  ): Waiting {
    this.#assertOpen(signal);
    return this.#waitIn(isAhead ? this.#returners : this.#waiters, clientKey, signal);
  }

  /** Fails all waiting and later requests. */
  close(error: HearthError): void {
    this.#closedWith = error;
    for (let next = this.#next; next !== undefined; next = this.#next) next.fail(error);
  }

  /** Decides until every request has to wait. To be called when anything has changed. */
  advance(): void {
    if (this.#isDeciding) return;
    this.#isDeciding = true;
    try {
      for (let action = this.#decide(); action !== undefined; action = this.#decide()) {
        this.#apply(action);
      }
    } finally {
      this.#isDeciding = false;
    }
  }

  /** Position of a place among those that wait for a slot, from 1; undefined if it does not wait. */
  positionOf(place: Place): number | undefined {
    const index = this.#ready.indexOf(place);
    return index === -1 ? undefined : index + 1;
  }

  /** Frees a place. */
  leave(place: Place): void {
    if (!this.#places.delete(place)) return;
    this.endPrefill(place);
    this.advance();
  }

  /** The next long prompt may be read. */
  endPrefill(place: Place): void {
    if (this.#reader !== place) return;
    this.#reader = undefined;
    this.advance();
  }

  /** Whether a place has the turn of prefill. */
  isReader(place: Place): boolean {
    return this.#reader === place;
  }

  #decide(): SchedulerAction | undefined {
    return decide({
      isOpen: this.#isOpen,
      slotCount: this.#slotCount,
      totalCells: this.#manager?.totalCells ?? Infinity,
      busyCells: this.#manager?.busyCells ?? 0,
      isPrefilling: this.#reader !== undefined,
      waitingCount: this.#waiters.length + this.#returners.length,
      places: [...this.#places]
        .map((place) => place.view())
        .toSorted((one, other) => one.id - other.id),
    });
  }

  #apply(action: SchedulerAction): void {
    if (action.type === 'assign') {
      const place = new Place(this, (this.#arrivals += 1));
      this.#places.add(place);
      this.#next?.grant(place);
      return;
    }
    const place = [...this.#places].find(({ id }) => id === action.id);
    if (place === undefined) return;
    if (action.type === 'grow') place.grow();
    else if (action.type === 'pause') place.pause();
    else {
      if (action.type === 'prefill' || place.isLong) this.#reader = place;
      if (action.type === 'prefill') place.beginPrefill();
      else place.take();
    }
  }

  get #ready(): readonly Place[] {
    return [...this.#places]
      .filter(({ state }) => state === 'ready')
      .toSorted((one, other) => one.id - other.id);
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
        `${this.waitingCount} wait (limits.queuedRequests is ${this.#capacity}). Try again soon.`,
      { retryAfterSeconds: 1 },
    );
  }
}

/** A place of a request, which it keeps for one generation. */
export class Place {
  readonly id: number;
  readonly #scheduler: Scheduler;
  #state: 'preparing' | 'ready' | 'running' = 'preparing';
  #prompt: ScheduledPrompt | undefined;
  #cells = 0;
  #wantedCells = 0;
  #isPausing = false;
  #onStart: ((use: Promise<SlotUse | undefined>) => void) | undefined;
  #onPrefill: (() => void) | undefined;
  #use: SlotUse | undefined;

  constructor(scheduler: Scheduler, id: number) {
    this.#scheduler = scheduler;
    this.id = id;
  }

  get state(): 'preparing' | 'ready' | 'running' {
    return this.#state;
  }

  /** Position among the requests that wait for a slot, from 1; undefined if it does not wait. */
  get position(): number | undefined {
    return this.#scheduler.positionOf(this);
  }

  get isLong(): boolean {
    return this.#prompt?.isLong() ?? false;
  }

  view(): Parameters<typeof decide>[0]['places'][number] {
    const isReady = this.#state === 'ready';
    const cells = isReady ? this.#prompt?.cells() : this.#cells;
    return {
      id: this.id,
      state: this.#state,
      cells,
      wantedCells: Math.max(this.#cells, this.#wantedCells),
      isLong: isReady && this.isLong,
      awaitsPrefill: this.#onPrefill !== undefined,
      isPausable: this.#prompt?.isPausable() ?? false,
      isPausing: this.#isPausing,
    };
  }

  /**
   * Waits for a slot. Also for an answer that was paused and gave its slot back.
   *
   * @throws The signal's reason when aborted; the errors of `ScheduledPrompt.take`.
   */
  async start(prompt: ScheduledPrompt, signal: AbortSignal): Promise<SlotUse | undefined> {
    signal.throwIfAborted();
    this.#prompt = prompt;
    this.#state = 'ready';
    this.#isPausing = false;
    const taking = await new Promise<{ readonly use: Promise<SlotUse | undefined> }>(
      (resolve, reject) => {
        const abandon = (): void => {
          this.#onStart = undefined;
          this.#state = 'preparing';
          reject(signal.reason);
          this.#scheduler.advance();
        };
        this.#onStart = (use) => {
          signal.removeEventListener('abort', abandon);
          // In an object, so that the promise of the slot is not awaited here.
          resolve({ use });
        };
        signal.addEventListener('abort', abandon, { once: true });
        this.#scheduler.advance();
      },
    );
    this.#use = await taking.use;
    this.#cells = this.#use?.cells ?? 0;
    this.#scheduler.advance();
    return this.#use;
  }

  /** Called by the scheduler. */
  take(): void {
    const prompt = this.#prompt;
    if (prompt === undefined) return;
    this.#cells = prompt.cells() ?? 0;
    this.#wantedCells = 0;
    this.#state = 'running';
    const use = prompt.take();
    use.catch(() => this.release());
    this.#onStart?.(use);
    this.#onStart = undefined;
  }

  /**
   * Waits for the turn of prefill, with a slot.
   *
   * @throws The signal's reason when aborted.
   */
  async awaitPrefill(signal: AbortSignal): Promise<void> {
    if (this.#scheduler.isReader(this)) return;
    signal.throwIfAborted();
    await new Promise<void>((resolve, reject) => {
      const abandon = (): void => {
        this.#onPrefill = undefined;
        reject(signal.reason);
      };
      this.#onPrefill = () => {
        signal.removeEventListener('abort', abandon);
        resolve();
      };
      signal.addEventListener('abort', abandon, { once: true });
      this.#scheduler.advance();
    });
  }

  /** Called by the scheduler. */
  beginPrefill(): void {
    this.#onPrefill?.();
    this.#onPrefill = undefined;
  }

  endPrefill(): void {
    this.#scheduler.endPrefill(this);
  }

  get isReader(): boolean {
    return this.#scheduler.isReader(this);
  }

  /** Sets the reservation, whose prompt the engine has counted. */
  need(cells: number): void {
    if (cells >= this.#cells) return this.want(cells);
    this.#cells = Math.max(cells, this.#wantedCells);
    this.#use?.resize(this.#cells);
    this.#scheduler.advance();
  }

  /** The answer will need so many cells. It is paused if the cache has too few. */
  want(cells: number): void {
    if (cells <= Math.max(this.#cells, this.#wantedCells)) return;
    this.#wantedCells = cells;
    this.#scheduler.advance();
  }

  /** The prompt needs another number of cells than before. */
  recheck(): void {
    this.#scheduler.advance();
  }

  /** Cells that it may use. */
  get cells(): number {
    return this.#cells;
  }

  /** Called by the scheduler. */
  grow(): void {
    this.#cells = this.#wantedCells;
    this.#use?.resize(this.#cells);
  }

  /** Called by the scheduler. */
  pause(): void {
    this.#isPausing = true;
    this.#prompt?.pause();
  }

  get isPausing(): boolean {
    return this.#isPausing;
  }

  /** The slot is free again; the place remains. */
  release(): void {
    this.#state = 'preparing';
    this.#cells = 0;
    this.#wantedCells = 0;
    this.#use = undefined;
    this.#scheduler.endPrefill(this);
    // A paused answer waits again at once, ahead of later requests.
    if (!this.#isPausing) this.#scheduler.advance();
  }

  /** Frees the place. A second call does nothing. */
  leave(): void {
    this.#scheduler.leave(this);
  }
}
