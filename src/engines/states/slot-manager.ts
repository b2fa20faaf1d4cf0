import { linkAbort } from '../../kernel/concurrency/linked-abort.ts';
import type { AdapterScale, ChatGeneration, EngineHandle, EngineSlots } from '../engine.ts';
import type { AnswerRecorder } from '../generation-account.ts';
import { Prefill, type PrefillSpeed } from '../scheduler/prefill.ts';
import { AnswerLengths } from '../scheduler/prompt-cells.ts';
import { adapterMix, charactersOf, type CachedPrompt, type PrefixHash } from './prefix-hash.ts';
import { settleAnswer } from './settle-answer.ts';
import { SlotOffload } from './slot-offload.ts';
import { SlotStates, type SavedState, type SlotStatesOptions } from './slot-states.ts';
import type { SlotUse } from './slot-use.ts';
import {
  chooseSlot,
  minTokens,
  SlotTable,
  type Settle,
  type Slot,
  type SlotChoice,
  type SlotTableOptions,
  type SlotView,
} from './slot-table.ts';

/**
 * Short contents are offloaded only after a generation has run alone for this time. In a burst of requests they stay,
 * since the next prompts begin with the same chat template.
 */
const aloneMs = 100;

export interface SlotManagerOptions extends SlotStatesOptions, SlotTableOptions {
  readonly states: EngineSlots;
  readonly speed: PrefillSpeed;
  /** Context length of one slot. */
  readonly contextLength: number;
  /** Idle time after which the slots are saved to disk. */
  readonly idleMs: number;
  /** Time limit for saving the slots when the engine stops. */
  readonly stopSaveMs: number;
}

/** A prompt without its answer. The number of its tokens is not known yet. */
interface SlotRequest extends Pick<CachedPrompt, 'ownerId' | 'responseId' | 'prefix'> {
  readonly adapters?: readonly AdapterScale[] | undefined;
}

interface Chosen {
  readonly slot: Slot;
  readonly choice: SlotChoice<SavedState>;
}

/**
 * Manages the slots of one engine: chooses a slot for each generation, saves contents that would be lost or when the
 * engine is idle, and restores saved ones. A failure to save or restore only costs time, since the engine then reads
 * the prompt.
 */
export class SlotManager {
  readonly table: SlotTable;
  readonly prefill: Prefill;
  readonly contextLength: number;
  /** True if the slots together may need more cells than the cache has. */
  readonly canRunFull: boolean;
  readonly answers = new AnswerLengths();
  readonly #options: SlotManagerOptions;
  readonly #states: SlotStates;
  readonly #offload: SlotOffload;
  #useCount = 0;
  readonly #ended = new AbortController();
  #idleTimer: NodeJS.Timeout | undefined;
  #settling: { readonly abort: () => void; readonly done: Promise<void> } | undefined;
  #stopping: Promise<void> | undefined;

  constructor(options: SlotManagerOptions) {
    const { states: slots, speed, contextLength } = options;
    this.#options = options;
    this.contextLength = contextLength;
    this.prefill = new Prefill({ slots, manager: this, speed, contextLength });
    this.table = new SlotTable(options);
    this.canRunFull = this.table.canRunFull;
    this.#states = new SlotStates(options, this.table);
    this.#offload = new SlotOffload(options, this.table, this.#states);
  }

  /** True while the engine restores a state, and if it ended during a restoration. */
  get isRestoring(): boolean {
    return this.#states.isRestoring;
  }

  /** Wraps an engine so that its slots are saved before it stops. */
  attachTo(handle: EngineHandle): EngineHandle & { readonly slotManager: SlotManager } {
    const closed = handle.closed.then((exit) => {
      this.#ended.abort();
      clearTimeout(this.#idleTimer);
      return this.isRestoring && exit.lackedMemory === undefined
        ? { ...exit, wasRestoring: true }
        : exit;
    });
    return {
      ...handle,
      slotManager: this,
      closed,
      stop: () => {
        this.#stopping ??= this.#saveAndStop(handle);
        return this.#stopping;
      },
    };
  }

  /** Estimated number of a prompt's tokens that a free slot or a state has. */
  matchedTokens(prefix: PrefixHash): number {
    return this.#choose(prefix)?.choice.expectedTokens ?? 0;
  }

  /**
   * Cells that a prompt would reserve now; undefined while no slot is free. At least the cells of the slot's content
   * or of the restored state: if that is longer than needed, the engine cuts it only when it starts reading the
   * prompt.
   *
   * @param cells Cells that the prompt and its answer need.
   */
  cellsToReserve(prefix: PrefixHash, cells: number): number | undefined {
    if (!this.canRunFull) return this.table.slots.some(({ isBusy }) => !isBusy) ? 0 : undefined;
    const chosen = this.#choose(prefix);
    return chosen && Math.max(this.#cellsIn(chosen, cells), chosen.slot.cells);
  }

  /**
   * Takes a slot synchronously, and then prepares it.
   *
   * @param cells Cells that the prompt and its answer need.
   * @throws The signal's reason when aborted.
   */
  async take(prompt: SlotRequest, cells: number, signal: AbortSignal): Promise<SlotUse> {
    const chosen = this.#choose(prompt.prefix);
    if (chosen === undefined) throw new Error('no slot is free');
    const { slot, choice } = chosen;
    const cellsInUse = this.#cellsIn(chosen, cells);
    slot.isBusy = true;
    slot.isGenerating = true;
    // If the slot's content shares no prefix with the prompt, the engine drops the content, but only when it starts
    // reading the prompt.
    const isStale = this.canRunFull && choice.expectedTokens === 0 && slot.cells > cellsInUse;
    slot.settle = undefined;
    this.#useCount += 1;
    slot.lastUsed = this.#useCount;
    if (isStale) await this.#offload.empty(slot, choice.saves);
    slot.cells = cellsInUse;
    if (this.canRunFull) await this.#makeRoom();
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
        // The engine may have written more tokens before it noticed that the generation was canceled.
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

  /** Ends the work of idle time, since a request has arrived. */
  async interruptIdle(): Promise<void> {
    clearTimeout(this.#idleTimer);
    this.#settling?.abort();
    await this.#settling?.done;
  }

  /** Call it when a generation has ended. */
  saveWhenIdle(): void {
    clearTimeout(this.#idleTimer);
    if (this.#ended.signal.aborted || !this.table.isIdle) return;
    const { idleMs } = this.#options;
    this.#idleTimer = setTimeout(() => void this.#settleAndSave(), idleMs).unref();
  }

  /**
   * Returns a function for a slot that contains an answer with reasoning. The function replaces the content with the
   * beginning of the next turn's prompt, which has no reasoning.
   *
   * @param content The current content of the slot.
   */
  settleWith(
    slot: number,
    content: CachedPrompt,
    request: ChatGeneration,
    answer: AnswerRecorder,
  ): Settle {
    const { states, speed } = this.#options;
    return async (signal) => {
      const history = answer.historyWithoutReasoning(request);
      const prefix = answer.prefixWithoutReasoning(content.prefix);
      const tokens = await settleAnswer(states, slot, history, speed.chunkTokens, signal);
      return tokens === 0 ? content : { ...content, prefix, tokens, heldTokens: tokens };
    };
  }

  /** Saves slots that are not in use to disk, the most recently used first. Ends early when aborted; never throws. */
  saveAll(signal: AbortSignal): Promise<void> {
    return this.#offload.saveAll(signal);
  }

  /** Deletes the states in memory of conversations that are no longer wanted. */
  removeUnwanted(isWanted: (prompt: CachedPrompt) => Promise<boolean>): Promise<void> {
    return this.#states.removeUnwanted(isWanted);
  }

  /** Settles slots whose states may be written to disk. Ends when aborted; never throws. */
  settleIdle(signal: AbortSignal): Promise<void> {
    return this.#offload.settleIdle(signal);
  }

  async #settleAndSave(): Promise<void> {
    const request = linkAbort(this.#ended.signal);
    this.#settling = {
      abort: () => request.abort(new Error('a request came')),
      done: this.settleIdle(request.signal),
    };
    await this.#settling.done;
    this.#settling = undefined;
    request.dispose();
    await this.saveAll(this.#ended.signal);
  }

  async #saveAndStop(handle: EngineHandle): Promise<void> {
    await this.interruptIdle();
    const limit = AbortSignal.timeout(this.#options.stopSaveMs);
    await this.saveAll(AbortSignal.any([this.#ended.signal, limit]));
    this.#ended.abort();
    await handle.stop();
  }

  #choose(prefix: PrefixHash): Chosen | undefined {
    const views: SlotView[] = [];
    for (const slot of this.table.slots) if (!slot.isBusy) views.push(this.table.viewOf(slot));
    // A token has at least one character, so states are not worth restoring for a shorter prompt.
    const states = charactersOf(prefix) < minTokens ? [] : this.#states.list();
    const choice = chooseSlot(views, states, prefix);
    const slot = choice && this.table.slots[choice.slotId];
    return slot && { slot, choice };
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
