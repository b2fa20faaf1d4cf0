import type { AdapterScale } from '../engine.ts';
import { abortable } from '../../kernel/concurrency/abortable.ts';
import { Mutex } from '../../kernel/concurrency/semaphore.ts';
import { withTimeout } from '../../kernel/concurrency/with-timeout.ts';
import { adapterMix, type CachedPrompt } from './prefix-hash.ts';
import { isLostBy, minTokens, type SlotChoice, type SlotView } from './choose-slot.ts';
import type { Slot } from './slot.ts';
import {
  defaultPrepareMs,
  unlimited,
  type SavedState,
  type SlotStates,
  type SlotStatesOptions,
} from './slot-states.ts';

/** A request does not wait for the saving of a slot whose content is read again in less time. */
const minReadSeconds = 0.25;
/** While others run, the engine saves only after its step. */
const minReadSecondsBesideOthers = 0.5;
/** A content that the engine reads again in less time is not moved: saving and restoring it takes as long. */
const minMovedReadSeconds = 0.05;
/** A content of so many tokens slows down long prompts by more than moving it takes, even where it is read at once. */
const minMovedTokens = 256;

/** Each vocabulary has it. */
const anyToken = 0;

/** A KV cache that the slots share, in cells, which hold one token each. */
export interface CacheSize {
  readonly totalCells: number;
  /** Maximum of one slot. */
  readonly contextLength: number;
  /** Cells of idle slots that slow down the engine little, which passes them in each step. Undefined: any number. */
  readonly maxIdleCells?: number | undefined;
}

export interface SlotOffloadOptions extends SlotStatesOptions {
  /** The cache, if the slots share it. */
  readonly cacheSize?: CacheSize;
  /** Time that the engine takes to read a prompt; undefined while its speed is not known. */
  readonly secondsToRead: (tokens: number) => number | undefined;
}

/** Moves the contents of slots into the state cache: for a request that takes a slot, for room, and in idle time. */
export class SlotOffload {
  readonly #options: SlotOffloadOptions;
  readonly #slots: readonly Slot[];
  readonly #states: SlotStates;
  readonly #onFree: () => void;
  readonly #clearing = new Mutex();

  constructor(
    options: SlotOffloadOptions,
    slots: readonly Slot[],
    states: SlotStates,
    onFree: () => void,
  ) {
    this.#options = options;
    this.#slots = slots;
    this.#states = states;
    this.#onFree = onFree;
  }

  get isIdle(): boolean {
    return this.#slots.every(({ isBusy }) => !isBusy);
  }

  /** Cells of slots that are busy without a generation. */
  get busyCells(): number {
    return cellsOf(this.#slots.filter(({ isBusy, isGenerating }) => isBusy && !isGenerating));
  }

  /** How `chooseSlot` sees a slot. */
  viewOf(slot: Slot): SlotView {
    const { id, content, lastUsed, isSaved } = slot;
    const isCrowdedOut = this.isIdle && this.#isSlowedByIdle && this.#isMovable(slot);
    return {
      id,
      content,
      lastUsed,
      isSaved,
      isSavable: content !== undefined && this.#states.isSavable(content),
      isReadFast: content !== undefined && this.#isReadFast(content, isCrowdedOut),
      isCrowdedOut,
    };
  }

  /** True if a content slows down the reading of a prompt, too, so that it is moved before. */
  isLong(content: CachedPrompt): boolean {
    return content.heldTokens >= minMovedTokens || this.#readSeconds(content) >= minReadSeconds;
  }

  /**
   * Empties idle slots, least recently used first, until the cache has room for the running
   * requests.
   */
  async makeRoom(): Promise<void> {
    if (!this.#isTight) return;
    await this.#emptyIdle(
      () => this.#isTight,
      async (slot) => {
        if (slot.cells > 0) await this.#clear(slot);
      },
    );
  }

  /**
   * Moves contents of idle slots into memory, the least recently used first, until they no longer slow down a generation that
   * runs alone.
   */
  async parkIdle(running: Slot, isMoved: (content: CachedPrompt) => boolean): Promise<void> {
    const isSlowed = () =>
      this.#isSlowedByIdle && this.#slots.every(({ isBusy, id }) => !isBusy || id === running.id);
    if (!isSlowed()) return;
    await this.#emptyIdle(isSlowed, async (slot) => {
      const { content } = slot;
      if (content !== undefined && this.#isMovable(slot) && isMoved(content)) {
        await this.#park(slot, content);
      }
    });
  }

  /** If that fails, the engine empties the slot itself when it needs the cells. */
  async empty(slot: Slot, saves: boolean): Promise<void> {
    const { states, maxPrepareMs = defaultPrepareMs } = this.#options;
    const choice = { slotId: slot.id, saves, restores: undefined, expectedTokens: 0 };
    await this.prepare(slot, choice, unlimited);
    await withTimeout(maxPrepareMs, unlimited, (inner) => states.erase(slot.id, inner)).catch(
      this.warn,
    );
    slot.content = undefined;
    slot.isSaved = false;
  }

  /**
   * Saves and restores within a time limit.
   * @param adapters The request's adapters.
   * @returns The state that the slot has now, if one was restored.
   */
  async prepare(
    slot: Slot,
    { saves, restores }: SlotChoice<SavedState>,
    signal: AbortSignal,
    adapters?: readonly AdapterScale[],
  ): Promise<SavedState | undefined> {
    const { content } = slot;
    if (!saves && restores === undefined) return undefined;
    try {
      return await withTimeout(
        this.#options.maxPrepareMs ?? defaultPrepareMs,
        signal,
        async (inner) => {
          if (saves && content !== undefined) {
            await this.#states.saveAndKeep(slot, content, inner).catch(this.warn);
          }
          if (restores === undefined) return undefined;
          // From here on the content of the slot is unknown.
          slot.content = undefined;
          slot.owner = undefined;
          slot.isFresh = false;
          await this.#switchAdapters(slot, adapters, inner);
          await this.#states.restore(slot, restores, inner);
          return restores;
        },
      );
    } catch (error) {
      if (!signal.aborted) this.warn(error);
      return undefined;
    }
  }

  /** The engine empties a slot when the adapters change: that must happen before a state is restored. */
  async #switchAdapters(
    slot: Slot,
    adapters: readonly AdapterScale[] | undefined,
    signal: AbortSignal,
  ): Promise<void> {
    const mix = adapterMix(adapters);
    if (slot.engineMix === mix) return;
    slot.engineMix = undefined;
    const placement = { slot: slot.id, reusesSlot: false, adapters };
    await this.#options.states.read(placement, [anyToken], signal);
    slot.engineMix = mix;
  }

  /** Settles the slots whose states are written to disk. Ends when aborted; never throws. */
  async settleIdle(signal: AbortSignal): Promise<void> {
    for (const slot of this.#slots) {
      const { settle } = slot;
      if (signal.aborted) return;
      if (slot.isBusy || settle === undefined) continue;
      slot.isBusy = true;
      try {
        slot.content = await settle(signal);
        slot.cells = slot.content.heldTokens;
        slot.isSaved = false;
        slot.settle = undefined;
      } catch (error) {
        if (!signal.aborted) {
          slot.settle = undefined;
          this.warn(error);
        }
      } finally {
        this.#free(slot);
      }
    }
  }

  /** Saves the slots that are not in use to disk, the last used first. Ends early when aborted; never throws. */
  async saveAll(signal: AbortSignal): Promise<void> {
    await abortable(this.#saveAll(signal), signal).catch((error: unknown) => {
      if (!signal.aborted) this.warn(error);
    });
  }

  readonly warn = (err: unknown): undefined => {
    this.#options.logger.warn({ err }, 'state of a slot not saved or restored');
  };

  async #saveAll(signal: AbortSignal): Promise<void> {
    const slots = this.#slots.toSorted((one, other) => other.lastUsed - one.lastUsed);
    for (const slot of slots) {
      if (signal.aborted) return;
      const { content } = slot;
      if (slot.isBusy || slot.isSaved || content === undefined || content.tokens < minTokens)
        continue;
      if (this.#states.isKeepable(content)) {
        await this.#states.save(slot, content, signal).catch(this.warn);
      }
    }
    await this.#states.keepAll(signal);
  }

  /** Empties idle slots one after the other, the least recently used first, while they hold too much. */
  #emptyIdle(holdTooMuch: () => boolean, empty: (slot: Slot) => Promise<void>): Promise<void> {
    return this.#clearing.run(async () => {
      for (const slot of this.#slots.toSorted((one, other) => one.lastUsed - other.lastUsed)) {
        if (!holdTooMuch()) return;
        if (!slot.isBusy) await empty(slot);
      }
    });
  }

  async #park(slot: Slot, content: CachedPrompt): Promise<void> {
    slot.isBusy = true;
    if (!slot.isSaved) {
      const { maxPrepareMs = defaultPrepareMs } = this.#options;
      await withTimeout(maxPrepareMs, unlimited, (inner) =>
        this.#states.save(slot, content, inner),
      ).catch(this.warn);
    }
    if (slot.isSaved) await this.#clear(slot);
    else this.#free(slot);
  }

  /** Saves an idle slot, if that is worth while, and empties it. */
  async #clear(slot: Slot): Promise<void> {
    slot.isBusy = true;
    slot.settle = undefined;
    await this.empty(slot, isLostBy(this.viewOf(slot), slot.content?.heldTokens ?? 0));
    slot.cells = 0;
    this.#free(slot);
  }

  #free(slot: Slot): void {
    slot.isBusy = false;
    this.#onFree();
  }

  /** True if idle slots hold so much that the generations that run may lack cells. */
  get #isTight(): boolean {
    return cellsOf(this.#slots) > (this.#options.cacheSize?.totalCells ?? Infinity);
  }

  /** True if idle slots hold so much that it should be moved into memory. */
  get #isSlowedByIdle(): boolean {
    const { isMemory, cacheSize } = this.#options;
    const idle = this.#slots.filter(({ isBusy }) => !isBusy);
    return isMemory && cellsOf(idle) > (cacheSize?.maxIdleCells ?? Infinity);
  }

  /** Content stays in its slot if it can't be saved, or is short and quickly read again. */
  #isMovable({ content, settle, isSaved }: Slot): boolean {
    // Unsettled content could not continue after a restart.
    if (content === undefined || settle !== undefined) return false;
    const least = this.#readSeconds(content) < minMovedReadSeconds ? minMovedTokens : minTokens;
    return content.heldTokens >= least && (isSaved || this.#states.isSavable(content));
  }

  #isReadFast(content: CachedPrompt, isCrowdedOut: boolean): boolean {
    // A long one would be moved even if it could stay in its slot.
    if (isCrowdedOut) return !this.isLong(content);
    const least = this.isIdle ? minReadSeconds : minReadSecondsBesideOthers;
    return this.#readSeconds(content) < least;
  }

  #readSeconds({ heldTokens }: CachedPrompt): number {
    return this.#options.secondsToRead(heldTokens) ?? minReadSecondsBesideOthers;
  }
}

function cellsOf(slots: readonly Slot[]): number {
  return slots.reduce((total, { cells }) => total + cells, 0);
}
