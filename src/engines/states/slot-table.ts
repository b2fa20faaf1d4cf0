import { minTokens, type SlotView } from './choose-slot.ts';
import type { CachedPrompt } from './prefix-hash.ts';

/** A request does not wait for the saving of a slot whose content is read again in less time. */
const minReadSeconds = 0.25;
/** While others run, the engine saves only after its step. */
const minReadSecondsBesideOthers = 0.5;
/** A content that the engine reads again in less time is not moved: saving and restoring it takes as long. */
const minMovedReadSeconds = 0.05;
/** A content of so many tokens slows down long prompts by more than moving it takes, even where it is read at once. */
const minMovedTokens = 256;

/** A KV cache that the slots share, in cells, which hold one token each. */
export interface CacheSize {
  readonly totalCells: number;
  /** Maximum of one slot. */
  readonly contextLength: number;
  /** Cells of idle slots that slow down the engine little, which passes them in each step. Undefined: any number. */
  readonly maxIdleCells?: number | undefined;
}

/** Brings a slot to the beginning of the next turn, and gives its content then. */
export type Settle = (signal: AbortSignal) => Promise<CachedPrompt>;

/** Hearth's record of one slot of an engine. */
export interface Slot {
  readonly id: number;
  content: CachedPrompt | undefined;
  /** Owner of the prompt in the engine, with its mix of adapters; undefined: unknown. */
  owner: { readonly id: string | null; readonly mix: string } | undefined;
  /** The mix of adapters that the engine used last in the slot; it compares the next request with it. Undefined: unknown. */
  engineMix: string | undefined;
  /** True if it was never used. */
  isFresh: boolean;
  lastUsed: number;
  isSaved: boolean;
  /** A generation has it, or its content is being moved. */
  isBusy: boolean;
  isGenerating: boolean;
  /** Cells of the cache that it may hold: while a generation runs, its reservation. */
  cells: number;
  settle: Settle | undefined;
}

export interface SlotTableOptions {
  readonly slotCount: number;
  /** True if requests choose adapters. */
  readonly hasAdapters?: boolean;
  /** The cache, if the slots share it. */
  readonly cacheSize?: CacheSize;
  /** True if the states of slots are in memory, so that states of requests that are not stored may be there. */
  readonly isMemory: boolean;
  /** True if states of requests that are not stored may be written to disk, too. */
  readonly persistsStateless: boolean;
  /** Speed of reading; undefined seconds while it is not known. */
  readonly speed: { secondsToRead(tokens: number): number | undefined };
}

/** The slots of one engine, and the facts that decide which contents leave their slots. */
export class SlotTable {
  readonly slots: readonly Slot[];
  /** True if the slots together may need more cells than the cache has. */
  readonly canRunFull: boolean;
  readonly cacheSize: CacheSize | undefined;
  readonly #options: SlotTableOptions;

  constructor(options: SlotTableOptions) {
    const { cacheSize, slotCount, hasAdapters = false } = options;
    this.#options = options;
    this.cacheSize = cacheSize;
    this.canRunFull =
      cacheSize !== undefined && cacheSize.totalCells < slotCount * cacheSize.contextLength;
    this.slots = Array.from({ length: slotCount }, (_, id) => newSlot(id, hasAdapters));
  }

  /** True if no generation runs. */
  get isIdle(): boolean {
    return this.slots.every(({ isBusy }) => !isBusy);
  }

  /** Cells of slots that are busy without a generation. */
  get busyCells(): number {
    return cellsOf(this.slots.filter(({ isBusy, isGenerating }) => isBusy && !isGenerating));
  }

  /** True if idle slots hold so much that the generations that run may lack cells. */
  get isTight(): boolean {
    return cellsOf(this.slots) > (this.cacheSize?.totalCells ?? Infinity);
  }

  /** True if idle slots hold so much that it should be moved into memory. */
  get isSlowedByIdle(): boolean {
    const { maxIdleCells } = this.cacheSize ?? {};
    if (maxIdleCells === undefined || !this.#options.isMemory) return false;
    return cellsOf(this.slots.filter(({ isBusy }) => !isBusy)) > maxIdleCells;
  }

  /** True if a generation that runs alone is slowed down by the contents of idle slots. */
  isSlowed(running: Slot): boolean {
    return (
      this.isSlowedByIdle && this.slots.every((each) => !each.isBusy || each.id === running.id)
    );
  }

  /** True if a prompt may be written to disk. */
  isKeepable({ responseId }: CachedPrompt): boolean {
    return responseId !== null || this.#options.persistsStateless;
  }

  /** True if a state of a prompt may be saved at all. */
  isSavable(prompt: CachedPrompt): boolean {
    return this.#options.isMemory || this.isKeepable(prompt);
  }

  /** Facts about a slot for `chooseSlot`. */
  viewOf(slot: Slot): SlotView {
    const { id, content, lastUsed, isSaved } = slot;
    const isCrowdedOut = this.isSlowedByIdle && this.isIdle && this.isMovable(slot);
    return {
      id,
      content,
      lastUsed,
      isSaved,
      isSavable: content !== undefined && this.isSavable(content),
      isReadFast: content !== undefined && this.#isReadFast(content, isCrowdedOut),
      isCrowdedOut,
    };
  }

  /** True if a content slows down the reading of a prompt, too, so that it is moved before. */
  isLong(content: CachedPrompt): boolean {
    return content.heldTokens >= minMovedTokens || this.#readSeconds(content) >= minReadSeconds;
  }

  /** Content stays in its slot if it can't be saved, or is short and quickly read again. */
  isMovable({ content, settle, isSaved }: Slot): boolean {
    // Unsettled content could not continue after a restart.
    if (content === undefined || settle !== undefined) return false;
    const least = this.#readSeconds(content) < minMovedReadSeconds ? minMovedTokens : minTokens;
    return content.heldTokens >= least && (isSaved || this.isSavable(content));
  }

  #isReadFast(content: CachedPrompt, isCrowdedOut: boolean): boolean {
    // A long one would be moved even if it could stay in its slot.
    if (isCrowdedOut) return !this.isLong(content);
    const least = this.isIdle ? minReadSeconds : minReadSecondsBesideOthers;
    return this.#readSeconds(content) < least;
  }

  #readSeconds({ heldTokens }: CachedPrompt): number {
    return this.#options.speed.secondsToRead(heldTokens) ?? minReadSecondsBesideOthers;
  }
}

function newSlot(id: number, hasAdapters: boolean): Slot {
  return {
    id,
    content: undefined,
    owner: undefined,
    engineMix: hasAdapters ? undefined : '',
    isFresh: true,
    lastUsed: 0,
    isSaved: false,
    isBusy: false,
    isGenerating: false,
    cells: 0,
    settle: undefined,
  };
}

function cellsOf(slots: readonly Slot[]): number {
  return slots.reduce((total, { cells }) => total + cells, 0);
}
