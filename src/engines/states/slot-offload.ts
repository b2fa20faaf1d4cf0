import type { AdapterScale } from '../engine.ts';
import { abortable } from '../../kernel/concurrency/abortable.ts';
import { Mutex } from '../../kernel/concurrency/semaphore.ts';
import { withTimeout } from '../../kernel/concurrency/with-timeout.ts';
import { adapterMix, type CachedPrompt } from './prefix-hash.ts';
import { isLostBy, minTokens, type Slot, type SlotChoice, type SlotTable } from './slot-table.ts';
import {
  defaultPrepareMs,
  unlimited,
  type SavedState,
  type SlotStates,
  type SlotStatesOptions,
} from './slot-states.ts';

/** Every vocabulary has this token id. */
const anyToken = 0;

/** Moves contents of slots into the state cache: when a request takes a slot, to make room, and in idle time. */
export class SlotOffload {
  readonly #options: SlotStatesOptions;
  readonly #table: SlotTable;
  readonly #states: SlotStates;
  readonly #clearing = new Mutex();

  constructor(options: SlotStatesOptions, table: SlotTable, states: SlotStates) {
    this.#options = options;
    this.#table = table;
    this.#states = states;
  }

  /**
   * Empties idle slots, least recently used first, until the cache has room for the running
   * requests.
   */
  async makeRoom(): Promise<void> {
    await this.#emptyIdle(
      () => this.#table.isTight,
      async (slot) => {
        if (slot.cells > 0) await this.#clear(slot);
      },
    );
  }

  /**
   * Moves contents of idle slots into memory, the least recently used first, until they no longer slow down the only
   * running generation.
   */
  async parkIdle(running: Slot, isMoved: (content: CachedPrompt) => boolean): Promise<void> {
    await this.#emptyIdle(
      () => this.#table.isSlowed(running),
      async (slot) => {
        const { content } = slot;
        if (content !== undefined && this.#table.isMovable(slot) && isMoved(content)) {
          await this.#park(slot, content);
        }
      },
    );
  }

  /**
   * Empties a slot, and saves its content first if `saves` is true. If that fails, the engine empties the slot itself
   * when it needs the cells.
   */
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
   * Saves the slot's content and restores a state, as chosen, within a time limit.
   * @param adapters The request's adapters.
   * @returns The restored state; undefined if none was restored.
   */
  async prepare(
    slot: Slot,
    { saves, restores }: SlotChoice<SavedState>,
    signal: AbortSignal,
    adapters?: readonly AdapterScale[],
  ): Promise<SavedState | undefined> {
    const { content } = slot;
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

  /**
   * Lets the engine use the request's adapters in the slot. It empties the slot when they change, which must happen
   * before a state is restored.
   */
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

  /** Settles slots whose states may be written to disk. Ends when aborted; never throws. */
  async settleIdle(signal: AbortSignal): Promise<void> {
    for (const slot of this.#table.slots) {
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
        this.#table.free(slot);
      }
    }
  }

  /** Saves slots that are not in use to disk, the most recently used first. Ends early when aborted; never throws. */
  async saveAll(signal: AbortSignal): Promise<void> {
    await abortable(this.#saveAll(signal), signal).catch((error: unknown) => {
      if (!signal.aborted) this.warn(error);
    });
  }

  readonly warn = (err: unknown): undefined => {
    this.#options.logger.warn({ err }, 'state of a slot not saved or restored');
  };

  async #saveAll(signal: AbortSignal): Promise<void> {
    const slots = this.#table.slots.toSorted((one, other) => other.lastUsed - one.lastUsed);
    for (const slot of slots) {
      if (signal.aborted) return;
      const { content } = slot;
      if (slot.isBusy || slot.isSaved || content === undefined || content.tokens < minTokens)
        continue;
      if (this.#table.isKeepable(content)) {
        await this.#states.save(slot, content, signal).catch(this.warn);
      }
    }
    await this.#states.keepAll(signal);
  }

  /** Calls `empty` for idle slots, the least recently used first, while `holdTooMuch` is true. */
  #emptyIdle(holdTooMuch: () => boolean, empty: (slot: Slot) => Promise<void>): Promise<void> {
    return this.#clearing.run(async () => {
      for (const slot of this.#table.slots.toSorted(
        (one, other) => one.lastUsed - other.lastUsed,
      )) {
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
    else this.#table.free(slot);
  }

  /** Empties an idle slot, and saves its content first if that pays. */
  async #clear(slot: Slot): Promise<void> {
    slot.isBusy = true;
    slot.settle = undefined;
    await this.empty(slot, isLostBy(this.#table.viewOf(slot), slot.content?.heldTokens ?? 0));
    slot.cells = 0;
    this.#table.free(slot);
  }
}
