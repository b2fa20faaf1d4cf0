import type { SlotUse } from '../states/slot-use.ts';
import type { PlaceView, PromptView } from './decide.ts';

/** A prompt that is ready to be read. */
export interface ScheduledPrompt extends PromptView {
  /** Takes a slot synchronously, before any other request. Resolves to undefined if the engine chooses the slot. */
  take(): Promise<SlotUse | undefined>;
  /** Ends the generation, which continues later. */
  pause(): void;
}

/** The part of the scheduler that places use. */
export interface PlaceOwner {
  /** The place that has the turn of prefill. */
  reader: Place | undefined;
  /** Position of a place in the queue for a slot, from 1; undefined if the place does not wait. */
  positionOf(place: Place): number | undefined;
  /** Frees a place. */
  leave(place: Place): void;
  /** Decides until every request has to wait. Must be called after each change. */
  advance(): void;
}

/** A request's place, which it keeps for one generation. */
export class Place implements PlaceView {
  /** When the place was assigned, as a value of `performance.now()`. */
  readonly startMs = performance.now();
  readonly #scheduler: PlaceOwner;
  state: PlaceView['state'] = 'preparing';
  prompt: ScheduledPrompt | undefined;
  /** Reserved cells. */
  cells = 0;
  wantedCells = 0;
  isPausing = false;
  /** When the request took its slot, as a value of `performance.now()`; undefined without a slot. */
  runningSince: number | undefined;
  #usableCells = 0;
  #taking: Promise<SlotUse | undefined> | undefined;
  #onTake: (() => void) | undefined;
  #onPrefill: (() => void) | undefined;
  #use: SlotUse | undefined;

  constructor(scheduler: PlaceOwner) {
    this.#scheduler = scheduler;
  }

  /** True if the engine has no room for these cells yet, since idle slots or other answers still hold them. */
  lacksRoomFor(cells: number): boolean {
    const needed = Math.max(this.cells, this.wantedCells);
    return Math.min(cells, needed) > this.#usableCells;
  }

  get awaitsPrefill(): boolean {
    return this.#onPrefill !== undefined;
  }

  /** Position among the requests that wait for a slot, from 1; undefined if the request does not wait. */
  get position(): number | undefined {
    return this.#scheduler.positionOf(this);
  }

  /**
   * Waits for a slot. Also called for an answer that was paused and gave its slot back.
   *
   * @throws The signal's reason when aborted; the errors of `ScheduledPrompt.take`.
   */
  async start(prompt: ScheduledPrompt, signal: AbortSignal): Promise<SlotUse | undefined> {
    signal.throwIfAborted();
    this.prompt = prompt;
    this.state = 'ready';
    this.isPausing = false;
    this.#scheduler.advance();
    if (this.#taking === undefined) await this.#waitForSlot(signal);
    try {
      this.#use = await this.#taking;
    } finally {
      this.#taking = undefined;
    }
    this.cells = this.#use?.cells ?? 0;
    this.#usableCells = this.cells;
    this.#scheduler.advance();
    return this.#use;
  }

  #waitForSlot(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const abandon = (): void => {
        this.#onTake = undefined;
        this.state = 'preparing';
        reject(signal.reason);
        this.#scheduler.advance();
      };
      this.#onTake = () => {
        signal.removeEventListener('abort', abandon);
        resolve();
      };
      signal.addEventListener('abort', abandon, { once: true });
    });
  }

  /** Called by the scheduler. */
  take(): void {
    const prompt = this.prompt;
    if (prompt === undefined) return;
    this.cells = prompt.cellsToStart() ?? 0;
    this.wantedCells = 0;
    this.state = 'running';
    this.runningSince = performance.now();
    this.#taking = prompt.take();
    this.#taking.catch(() => this.release());
    this.#onTake?.();
    this.#onTake = undefined;
  }

  /**
   * Waits for the turn of prefill. The request must have its slot.
   *
   * @throws The signal's reason when aborted.
   */
  async awaitPrefill(signal: AbortSignal): Promise<void> {
    if (this.isReader) return;
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

  /** Gives back the turn of prefill, so that the next long prompt may be read. */
  endPrefill(): void {
    this.#scheduler.reader = undefined;
    this.#scheduler.advance();
  }

  /** True if the place has the turn of prefill. */
  get isReader(): boolean {
    return this.#scheduler.reader === this;
  }

  /** Sets the reservation, once the engine has counted the prompt. */
  need(cells: number): void {
    if (cells >= this.cells) return this.want(cells);
    this.cells = Math.max(cells, this.wantedCells);
    void this.#resize();
    this.#scheduler.advance();
  }

  /** Requests a larger reservation. If the cache has too few cells, an answer will be paused. */
  want(cells: number): void {
    if (cells <= Math.max(this.cells, this.wantedCells)) return;
    this.wantedCells = cells;
    this.#scheduler.advance();
  }

  /** Call it when the number of cells for the prompt has changed. */
  recheck(): void {
    this.#scheduler.advance();
  }

  /** Called by the scheduler. */
  grow(): void {
    this.cells = this.wantedCells;
    void this.#resize();
  }

  /** Applies a changed reservation. Additional cells are usable once contents of idle slots have been dropped. */
  async #resize(): Promise<void> {
    const use = this.#use;
    const cells = this.cells;
    this.#usableCells = Math.min(this.#usableCells, cells);
    await use?.resize(cells);
    if (this.#use !== use) return;
    this.#usableCells = Math.max(this.#usableCells, Math.min(cells, this.cells));
  }

  /** Ends the generation, which continues later. */
  pause(): void {
    if (this.isPausing) return;
    this.isPausing = true;
    this.prompt?.pause();
  }

  /** Gives back the slot, but keeps the place. */
  release(): void {
    this.state = 'preparing';
    this.cells = 0;
    this.wantedCells = 0;
    this.#use = undefined;
    this.runningSince = undefined;
    if (this.isReader) this.endPrefill();
    // A paused answer must begin to wait again before the scheduler considers later requests.
    if (!this.isPausing) this.#scheduler.advance();
  }

  /** Frees the place. A second call does nothing. */
  leave(): void {
    this.#scheduler.leave(this);
  }
}
