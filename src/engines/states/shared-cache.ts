import type { CachedPrompt } from './cached-prompt.ts';
import type { SlotChoice } from './choose-slot.ts';
import type { Slot } from './slot.ts';
import type { SlotRequest } from './slot-use.ts';

/** In cells, which hold one token each. */
export interface CacheSize {
  readonly totalCells: number;
  /** Maximum of one slot. */
  readonly contextLength: number;
  /** Cells of idle slots that slow down the engine little, which passes them in each step. Undefined: any number. */
  readonly maxIdleCells?: number | undefined;
}

/** A slot that was chosen for a prompt. */
export interface Chosen<State> {
  readonly slot: Slot;
  readonly choice: SlotChoice<State>;
  /** Cells of its content. */
  readonly heldCells: number;
}

/** Accounts for the cells of a KV cache that slots share. An engine without room fails all generations that run. */
export class SharedCache {
  readonly #size: CacheSize;
  readonly #slots: readonly Slot[];

  constructor(size: CacheSize, slots: readonly Slot[]) {
    this.#size = size;
    this.#slots = slots;
  }

  /** Whether so many cells are free beside the generations that run. What idle slots hold can be dropped. */
  hasRoomFor(cells: number): boolean {
    return cells + cellsOf(this.#slots.filter(({ isBusy }) => isBusy)) <= this.#size.totalCells;
  }

  /** Whether idle slots hold so much that the generations that run may lack cells. */
  get isTight(): boolean {
    return cellsOf(this.#slots) > this.#size.totalCells;
  }

  /** Whether idle slots hold so much that it slows down the generations that run. */
  get isSlowedByIdle(): boolean {
    return (
      cellsOf(this.#slots.filter(({ isBusy }) => !isBusy)) > (this.#size.maxIdleCells ?? Infinity)
    );
  }

  /**
   * Cells that a prompt and its longest answer need, counted by the engine if that can be less than a whole context.
   *
   * @throws The signal's reason when aborted.
   */
  async count(prompt: SlotRequest, signal: AbortSignal): Promise<number | undefined> {
    if (prompt.mostCells === undefined || prompt.mostCells === Infinity) return prompt.mostCells;
    try {
      const tokens = await prompt.tokens?.(signal);
      return tokens === undefined ? prompt.mostCells : prompt.cellsFor?.(tokens.length);
    } catch {
      // The generation reports what is wrong with the prompt.
      signal.throwIfAborted();
      return prompt.mostCells;
    }
  }

  /**
   * Cells to reserve for a prompt in its slot. The engine cuts a longer content, or a longer state, only when it has begun
   * with the prompt.
   *
   * @param cells What the prompt needs; undefined: unknown.
   */
  cellsIn(
    { choice, heldCells }: Omit<Chosen<{ readonly prompt: CachedPrompt }>, 'slot'>,
    cells: number | undefined,
  ): number {
    const restored = choice.restores?.prompt.heldTokens ?? 0;
    const continued = choice.expectedTokens > 0 ? heldCells : 0;
    return Math.min(this.#size.contextLength, Math.max(cells ?? Infinity, restored, continued));
  }

  /** Raises what is reserved for a prompt whose tokens were counted. */
  raise(slot: Slot, cells: number): void {
    slot.cells = Math.max(slot.cells, Math.min(this.#size.contextLength, cells));
  }
}

function cellsOf(slots: readonly Slot[]): number {
  return slots.reduce((total, { cells }) => total + cells, 0);
}
