import type { AdapterScale } from '../engine.ts';
import { adapterMix, charactersOf, type CachedPrompt, type PrefixHash } from './prefix-hash.ts';
import { SlotOffload } from './slot-offload.ts';
import { SlotStates, type SavedState, type SlotStatesOptions } from './slot-states.ts';
import {
  chooseSlot,
  minTokens,
  SlotTable,
  type Settle,
  type Slot,
  type SlotChoice,
  type SlotTableOptions,
} from './slot-table.ts';

/** Short contents are offloaded if a generation runs alone after this time: the slots of a burst keep the chat template. */
const aloneMs = 100;

export type SlotManagerOptions = SlotStatesOptions & SlotTableOptions;

/** A prompt without an answer; its tokens are not known. */
interface SlotRequest extends Pick<CachedPrompt, 'ownerId' | 'responseId' | 'prefix'> {
  readonly adapters?: readonly AdapterScale[] | undefined;
}

/** The use of a slot by one generation. */
export interface SlotUse {
  readonly slotId: number;
  /** Cells that it may use. */
  readonly cells: number;
  /** True if the engine may use tokens that the slot has already read. */
  readonly reusesSlot: boolean;
  /** Tokens of the prompt that the slot has already read, estimated. */
  readonly expectedTokens: number;
  /**
   * Saves the beginning of the prompt, which the slot has read, in memory, so that others restore it. To be called while
   * the engine does nothing in this slot; never throws.
   *
   * @param beginning With the number of its tokens, and of those in the slot.
   */
  share(beginning: Pick<CachedPrompt, 'prefix' | 'tokens' | 'heldTokens'>): Promise<void>;
  /** Sets the number of cells, and drops contents of idle slots for them. Resolves when the engine has room for them. */
  resize(cells: number): Promise<void>;
  /**
   * Call it when the generation has ended.
   * @param content Content of the slot now.
   * @param cachedTokens Tokens that came from the cache; undefined if the generation failed.
   * @param settle Prepares the slot for the next turn before it is saved in idle time; returns its
   * content.
   */
  release(content: CachedPrompt, cachedTokens: number | undefined, settle?: Settle): void;
}

interface Chosen {
  readonly slot: Slot;
  readonly choice: SlotChoice<SavedState>;
}

/**
 * The slots of one engine: chooses one for each generation, saves what would be lost and restores what was saved. A
 * failure to save or restore costs time only: the engine reads the prompt.
 */
export class SlotManager {
  readonly table: SlotTable;
  readonly #states: SlotStates;
  readonly #offload: SlotOffload;
  #useCount = 0;

  constructor(options: SlotManagerOptions) {
    this.table = new SlotTable(options);
    this.#states = new SlotStates(options, this.table);
    this.#offload = new SlotOffload(options, this.table, this.#states);
  }

  /** True if the engine restores a state, or ended while it did. */
  get isRestoring(): boolean {
    return this.#states.isRestoring;
  }

  /** Tokens of a prompt that a free slot or a state has, estimated. */
  matchedTokens(prefix: PrefixHash): number {
    return this.#choose(prefix)?.choice.expectedTokens ?? 0;
  }

  /**
   * Cells that a prompt would reserve now; undefined while no slot is free. The slot holds its content until that is
   * dropped, and the engine cuts a longer content or state only when it has begun with the prompt.
   *
   * @param cells What the prompt and its answer need.
   */
  cellsToReserve(prefix: PrefixHash, cells: number): number | undefined {
    if (!this.table.canRunFull)
      return this.table.slots.some(({ isBusy }) => !isBusy) ? 0 : undefined;
    const chosen = this.#choose(prefix);
    return chosen && Math.max(this.#cellsIn(chosen, cells), chosen.slot.cells);
  }

  /**
   * Takes a slot, at once, and prepares it.
   *
   * @param cells What the prompt and its answer need.
   * @throws The signal's reason when aborted.
   */
  async take(prompt: SlotRequest, cells: number, signal: AbortSignal): Promise<SlotUse> {
    const chosen = this.#choose(prompt.prefix);
    if (chosen === undefined) throw new Error('no slot is free');
    const { slot, choice } = chosen;
    const cellsInUse = this.#cellsIn(chosen, cells);
    slot.isBusy = true;
    slot.isGenerating = true;
    // Without a common beginning the engine drops the content, but only when it begins with the prompt.
    const isStale = this.table.canRunFull && choice.expectedTokens === 0 && slot.cells > cellsInUse;
    slot.settle = undefined;
    this.#useCount += 1;
    slot.lastUsed = this.#useCount;
    if (isStale) await this.#offload.empty(slot, choice.saves);
    slot.cells = cellsInUse;
    if (this.table.canRunFull) await this.#makeRoom();
    if (this.table.isSlowed(slot)) {
      await this.#offload.parkIdle(slot, (content) => this.table.isLong(content));
    }
    const isMoved = choice.saves || choice.restores !== undefined;
    const restored = isMoved
      ? await this.#offload.prepare(slot, choice, signal, prompt.adapters)
      : undefined;
    if (signal.aborted) {
      this.table.free(slot);
      throw signal.reason;
    }
    return this.#use(slot, choice, restored, prompt, signal);
  }

  #use(
    slot: Slot,
    choice: SlotChoice<SavedState>,
    restored: SavedState | undefined,
    { ownerId, responseId, adapters }: SlotRequest,
    signal: AbortSignal,
  ): SlotUse {
    const mix = adapters === undefined ? '' : adapterMix(adapters);
    const { owner } = slot;
    const reusesSlot =
      restored !== undefined || slot.isFresh || (owner?.id === ownerId && owner.mix === mix);
    slot.owner = { id: ownerId, mix };
    slot.isFresh = false;
    const park = (): void => {
      if (this.table.isSlowed(slot)) void this.#offload.parkIdle(slot, () => true);
    };
    const parking = setTimeout(park, aloneMs).unref();
    return {
      slotId: slot.id,
      cells: slot.cells,
      reusesSlot,
      expectedTokens: reusesSlot ? choice.expectedTokens : 0,
      share: ({ prefix, tokens, heldTokens }) =>
        this.#states
          .share(slot, { ownerId, responseId, prefix, tokens, heldTokens }, signal)
          .catch(this.#offload.warn),
      resize: (cells) => {
        slot.cells = cells;
        return this.#makeRoom();
      },
      release: (content, cachedTokens, settle) => {
        clearTimeout(parking);
        slot.content = content;
        // The engine may have written more before it noticed that the generation was canceled.
        const isFailed = cachedTokens === undefined;
        slot.cells = isFailed ? Math.max(slot.cells, content.heldTokens) : content.heldTokens;
        slot.isSaved = false;
        // A generation that failed may not have begun: the slot then holds what another owner read into it.
        if (isFailed && content.heldTokens === 0) slot.owner = undefined;
        if (mix !== slot.engineMix) slot.engineMix = cachedTokens === undefined ? undefined : mix;
        slot.settle = this.table.isKeepable(content) ? settle : undefined;
        this.table.free(slot);
        if (restored !== undefined && cachedTokens !== undefined) {
          this.#states.verify(restored, choice.expectedTokens, cachedTokens);
        }
      },
    };
  }

  /** Settles the slots whose states are written to disk. Ends when aborted; never throws. */
  settleIdle(signal: AbortSignal): Promise<void> {
    return this.#offload.settleIdle(signal);
  }

  /** Saves the slots that are not in use to disk, the last used first. Ends early when aborted; never throws. */
  saveAll(signal: AbortSignal): Promise<void> {
    return this.#offload.saveAll(signal);
  }

  /** Deletes the states in memory of conversations that are no longer wanted. */
  removeUnwanted(isWanted: (prompt: CachedPrompt) => Promise<boolean>): Promise<void> {
    return this.#states.removeUnwanted(isWanted);
  }

  #choose(prefix: PrefixHash): Chosen | undefined {
    const free = this.table.slots.filter(({ isBusy }) => !isBusy);
    // A token has a character at least: the states of a shorter prompt are not worth restoring.
    const states = charactersOf(prefix) < minTokens ? [] : this.#states.list();
    const views = free.map((slot) => this.table.viewOf(slot));
    const choice = chooseSlot(views, states, prefix);
    const slot = free.find(({ id }) => id === choice?.slotId);
    return choice === undefined || slot === undefined ? undefined : { slot, choice };
  }

  #cellsIn({ slot, choice }: Chosen, cells: number): number {
    const { cacheSize } = this.table;
    if (cacheSize === undefined) return 0;
    const restored = choice.restores?.prompt.heldTokens ?? 0;
    const continued = choice.expectedTokens > 0 ? slot.cells : 0;
    return Math.min(cacheSize.contextLength, Math.max(cells, restored, continued));
  }

  async #makeRoom(): Promise<void> {
    if (this.table.isTight) await this.#offload.makeRoom();
  }
}
