import { Mutex } from '../../concurrency/semaphore.ts';
import { abortable } from '../../concurrency/abortable.ts';
import { withTimeout } from '../../concurrency/with-timeout.ts';
import type { CachedPrompt } from './cached-prompt.ts';
import type { PromptChain } from './prompt-chain.ts';
import { chooseSlot, isLostBy, minTokens, type SlotChoice, type SlotView } from './choose-slot.ts';
import { SharedCache, type CacheSize, type Chosen } from './shared-cache.ts';
import { newSlot, type Slot } from './slot.ts';
import { EngineSlotQueue } from './engine-slot-queue.ts';
import {
  defaultPrepareMs,
  SlotStates,
  unlimited,
  type SavedState,
  type SlotStatesOptions,
} from './slot-states.ts';
import type { SlotRequest, SlotUse } from './slot-use.ts';

/** A request does not wait for the saving of a slot whose content is read again in less time. */
const minReadSeconds = 0.25;
/** While others run, the engine saves only after its step. */
const minReadSecondsBesideOthers = 0.5;
/** A content that the engine reads again in less time is not moved: saving and restoring it takes as long. */
const minMovedReadSeconds = 0.05;
/** A content of so many tokens slows down long prompts by more than moving it takes, even where it is read at once. */
const minMovedTokens = 256;
/** Short contents are moved if a generation runs alone after this time: the slots of a burst keep the chat template. */
const aloneMs = 100;

export interface WarmSlotsOptions extends SlotStatesOptions {
  readonly slotCount: number;
  /** The cache, if the slots share it; each of them holds a context at most. */
  readonly cacheSize?: CacheSize;
  /** Time that the engine takes to read a prompt; undefined while its speed is not known. */
  readonly secondsToRead: (tokens: number) => number | undefined;
}

/**
 * The slots of one engine: chooses one for each generation, saves what would be lost and restores what was saved. A
 * failure to save or restore costs time only: the engine reads the prompt.
 */
export class WarmSlots {
  readonly #options: WarmSlotsOptions;
  readonly #slots: readonly Slot[];
  readonly #states: SlotStates;
  /** Undefined if each slot has a cache of its own. */
  readonly #cache: SharedCache | undefined;
  readonly #queue = new EngineSlotQueue();
  readonly #clearing = new Mutex();
  #useCount = 0;

  constructor(options: WarmSlotsOptions) {
    this.#options = options;
    this.#states = new SlotStates(options);
    this.#slots = Array.from({ length: options.slotCount }, (_, id) => newSlot(id));
    const { cacheSize } = options;
    this.#cache = cacheSize === undefined ? undefined : new SharedCache(cacheSize, this.#slots);
  }

  /** Whether the engine restores a state, or ended while it did. */
  get isRestoring(): boolean {
    return this.#states.isRestoring;
  }

  /** Whether no generation runs. */
  get isIdle(): boolean {
    return this.#slots.every(({ isBusy }) => !isBusy);
  }

  /** Tokens of a prompt that a free slot or a state has, estimated. */
  matchedTokens(chain: PromptChain): number {
    return this.#choose(chain)?.choice.expectedTokens ?? 0;
  }

  /**
   * Takes a slot for a prompt. Undefined if it has to wait, in `acquire`.
   *
   * @throws The signal's reason when aborted.
   */
  tryAcquire(prompt: SlotRequest, signal: AbortSignal): Promise<SlotUse> | undefined {
    return this.#queue.isEmpty ? this.#tryTake(prompt, prompt.mostCells, signal) : undefined;
  }

  /**
   * Waits for a slot, and until the cache has room for the longest answer.
   *
   * @throws The signal's reason when aborted.
   */
  acquire(prompt: SlotRequest, signal: AbortSignal): Promise<SlotUse> {
    return (
      this.tryAcquire(prompt, signal) ??
      this.#queue.enter(
        async () => this.#cache?.count(prompt, signal),
        (cells) => this.#tryTake(prompt, cells, signal),
        signal,
      )
    );
  }

  /** Undefined if no slot is free, or the cache has too little room beside the generations that run. */
  #tryTake(
    prompt: SlotRequest,
    cells: number | undefined,
    signal: AbortSignal,
  ): Promise<SlotUse> | undefined {
    const chosen = this.#choose(prompt.chain);
    if (chosen === undefined) return undefined;
    const cellsInUse = this.#cache?.cellsIn(chosen, cells) ?? 0;
    // The slot holds its content until that is dropped, and no other request can drop it then.
    const mostCells = Math.max(cellsInUse, chosen.heldCells);
    if (this.#cache?.hasRoomFor(mostCells) === false) return undefined;
    return this.#take(chosen, cellsInUse, prompt, signal);
  }

  #choose(chain: PromptChain): Chosen<SavedState> | undefined {
    const free = this.#slots.filter(({ isBusy }) => !isBusy);
    const choice = chooseSlot(
      free.map((slot) => this.#viewOf(slot)),
      this.#states.list(),
      chain,
    );
    const slot = free.find(({ id }) => id === choice?.slotId);
    return choice === undefined || slot === undefined
      ? undefined
      : { slot, choice, heldCells: slot.cells };
  }

  async #take(
    chosen: Chosen<SavedState>,
    cellsInUse: number,
    prompt: SlotRequest,
    signal: AbortSignal,
  ): Promise<SlotUse> {
    const { slot, choice, heldCells } = chosen;
    slot.isBusy = true;
    // Without a common beginning the engine drops the content, but only when it begins with the prompt.
    const isStale =
      this.#cache !== undefined && choice.expectedTokens === 0 && heldCells > cellsInUse;
    slot.settle = undefined;
    this.#useCount += 1;
    slot.lastUsed = this.#useCount;
    if (isStale) await this.#empty(slot, choice.saves);
    slot.cells = cellsInUse;
    await this.#makeRoom({ ...chosen, heldCells: isStale ? 0 : heldCells }, prompt, signal);
    await this.#parkIdle(slot, (content) => this.#isLong(content));
    const restored = await this.#prepare(slot, choice, signal);
    if (signal.aborted) {
      this.#free(slot);
      throw signal.reason;
    }
    const { ownerId } = prompt;
    const reusesSlot = restored !== undefined || slot.isFresh || slot.owner?.id === ownerId;
    slot.owner = { id: ownerId };
    slot.isFresh = false;
    const parking = setTimeout(() => void this.#parkIdle(slot, () => true), aloneMs).unref();
    return {
      slotId: slot.id,
      reusesSlot,
      expectedTokens: reusesSlot ? choice.expectedTokens : 0,
      share: ({ chain, tokens, heldTokens }) =>
        this.#states
          .share(
            slot,
            { ownerId, responseId: prompt.responseId, chain, tokens, heldTokens },
            signal,
          )
          .catch(this.#warn),
      noteTokens: (promptTokens) => {
        this.#cache?.raise(slot, prompt.cellsFor?.(promptTokens) ?? 0);
      },
      release: (content, cachedTokens, settle) => {
        clearTimeout(parking);
        slot.content = content;
        // The engine may have written more before it noticed that the generation was cancelled.
        if (cachedTokens !== undefined) slot.cells = content.heldTokens;
        slot.isSaved = false;
        slot.settle = this.#states.isKeepable(content) ? settle : undefined;
        this.#free(slot);
        if (restored !== undefined && cachedTokens !== undefined) {
          this.#states.verify(restored, choice.expectedTokens, cachedTokens);
        }
      },
    };
  }

  #free(slot: Slot): void {
    slot.isBusy = false;
    this.#queue.advance();
  }

  /** Empties idle slots, the least recently used ones first, until the cache holds what runs and what is left. */
  async #makeRoom(
    chosen: Chosen<SavedState>,
    prompt: SlotRequest,
    signal: AbortSignal,
  ): Promise<void> {
    const cache = this.#cache;
    if (cache?.isTight !== true) return;
    // The cells were estimated from the length of the text.
    const cells = await cache.count(prompt, signal).catch(() => Infinity);
    const fewer = Math.max(cache.cellsIn(chosen, cells), chosen.heldCells);
    chosen.slot.cells = Math.min(chosen.slot.cells, fewer);
    if (!cache.isTight) return;
    await this.#emptyIdle(
      () => cache.isTight,
      async (slot) => {
        if (slot.cells > 0) await this.#clear(slot);
      },
    );
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

  /**
   * Moves contents of idle slots into memory, the least recently used first, until they no longer slow down a generation that
   * runs alone.
   */
  async #parkIdle(running: Slot, isMoved: (content: CachedPrompt) => boolean): Promise<void> {
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

  /** Whether idle slots hold so much that it should be moved into memory. */
  get #isSlowedByIdle(): boolean {
    return this.#options.isMemory && this.#cache?.isSlowedByIdle === true;
  }

  /** What can't be saved stays in its slot, and what is short and read again at once. */
  #isMovable({ content, settle, isSaved }: Slot): boolean {
    // What is not settled yet could not continue after a restart.
    if (content === undefined || settle !== undefined) return false;
    const least = this.#readSeconds(content) < minMovedReadSeconds ? minMovedTokens : minTokens;
    return content.heldTokens >= least && (isSaved || this.#states.isSavable(content));
  }

  /** Whether a content slows down the reading of a prompt, too, so that it is moved before. */
  #isLong(content: CachedPrompt): boolean {
    return content.heldTokens >= minMovedTokens || this.#readSeconds(content) >= minReadSeconds;
  }

  async #park(slot: Slot, content: CachedPrompt): Promise<void> {
    slot.isBusy = true;
    if (!slot.isSaved) {
      const { maxPrepareMs = defaultPrepareMs } = this.#options;
      await withTimeout(maxPrepareMs, unlimited, (inner) =>
        this.#states.save(slot, content, inner),
      ).catch(this.#warn);
    }
    if (slot.isSaved) await this.#clear(slot);
    else this.#free(slot);
  }

  /** Saves an idle slot, if that is worth while, and empties it. */
  async #clear(slot: Slot): Promise<void> {
    slot.isBusy = true;
    slot.settle = undefined;
    await this.#empty(slot, isLostBy(this.#viewOf(slot), slot.content?.heldTokens ?? 0));
    slot.cells = 0;
    this.#free(slot);
  }

  /** If that fails, the engine empties the slot itself when it needs the cells. */
  async #empty(slot: Slot, saves: boolean): Promise<void> {
    const { states, maxPrepareMs = defaultPrepareMs } = this.#options;
    const choice = { slotId: slot.id, saves, restores: undefined, expectedTokens: 0 };
    await this.#prepare(slot, choice, unlimited);
    await withTimeout(maxPrepareMs, unlimited, (inner) => states.erase(slot.id, inner)).catch(
      this.#warn,
    );
    slot.content = undefined;
    slot.isSaved = false;
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
          this.#warn(error);
        }
      } finally {
        this.#free(slot);
      }
    }
  }

  /** Saves the slots that are not in use to disk, the last used first. Ends early when aborted; never throws. */
  async saveAll(signal: AbortSignal): Promise<void> {
    await abortable(this.#saveAll(signal), signal).catch((error: unknown) => {
      if (!signal.aborted) this.#warn(error);
    });
  }

  /** Deletes the states in memory of conversations that are no longer wanted. */
  removeUnwanted(isWanted: (prompt: CachedPrompt) => Promise<boolean>): Promise<void> {
    return this.#states.removeUnwanted(isWanted);
  }

  async #saveAll(signal: AbortSignal): Promise<void> {
    const slots = this.#slots.toSorted((one, other) => other.lastUsed - one.lastUsed);
    for (const slot of slots) {
      if (signal.aborted) return;
      const { content } = slot;
      if (slot.isBusy || slot.isSaved || content === undefined || content.tokens < minTokens)
        continue;
      if (this.#states.isKeepable(content)) {
        await this.#states.save(slot, content, signal).catch(this.#warn);
      }
    }
    await this.#states.keepAll(signal);
  }

  #viewOf(slot: Slot): SlotView {
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

  #isReadFast(content: CachedPrompt, isCrowdedOut: boolean): boolean {
    // A long one would be moved even if it could stay in its slot.
    if (isCrowdedOut) return !this.#isLong(content);
    const least = this.isIdle ? minReadSeconds : minReadSecondsBesideOthers;
    return this.#readSeconds(content) < least;
  }

  #readSeconds({ heldTokens }: CachedPrompt): number {
    return this.#options.secondsToRead(heldTokens) ?? minReadSecondsBesideOthers;
  }

  /** Saves and restores within a time limit. @returns the state that the slot has now, if one was restored */
  async #prepare(
    slot: Slot,
    { saves, restores }: SlotChoice<SavedState>,
    signal: AbortSignal,
  ): Promise<SavedState | undefined> {
    const { content } = slot;
    if (!saves && restores === undefined) return undefined;
    try {
      return await withTimeout(
        this.#options.maxPrepareMs ?? defaultPrepareMs,
        signal,
        async (inner) => {
          if (saves && content !== undefined) {
            await this.#states.saveAndKeep(slot, content, inner).catch(this.#warn);
          }
          if (restores === undefined) return undefined;
          // From here on the content of the slot is unknown.
          slot.content = undefined;
          slot.owner = undefined;
          slot.isFresh = false;
          await this.#states.restore(slot, restores, inner);
          return restores;
        },
      );
    } catch (error) {
      if (!signal.aborted) this.#warn(error);
      return undefined;
    }
  }

  readonly #warn = (err: unknown): undefined => {
    this.#options.logger.warn({ err }, 'state of a slot not saved or restored');
  };
}
