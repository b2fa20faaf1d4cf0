import {
  charactersOf,
  commonCharacters,
  matchedTokens,
  type CachedPrompt,
  type PrefixHash,
} from './prefix-hash.ts';

/** Shorter beginnings are read again: that takes as long as saving and restoring them. */
export const minTokens = 64;

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

export interface SlotView {
  readonly id: number;
  /** Undefined while it is empty. */
  readonly content: CachedPrompt | undefined;
  /** Order of the last use. */
  readonly lastUsed: number;
  /** True if a state of its content exists, so that it can be restored. */
  readonly isSaved: boolean;
  /** True if a state of its content may be saved. */
  readonly isSavable: boolean;
  /** True if the engine reads its content again in little more time than saving it takes. */
  readonly isReadFast: boolean;
  /** True if its content slows down the engine, so that it should leave its slot. */
  readonly isCrowdedOut: boolean;
}

export interface SlotChoice<State> {
  readonly slotId: number;
  /** True if the content of the slot is saved before it is overwritten. */
  readonly saves: boolean;
  /** The state to restore into the slot. */
  readonly restores: State | undefined;
  /** Tokens of the prompt that need not be read. */
  readonly expectedTokens: number;
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
  /** Called when a slot is free that was in use or being saved. */
  onFree = (): void => {};

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
    let idleCells = 0;
    for (const { isBusy, cells } of this.slots) if (!isBusy) idleCells += cells;
    return idleCells > maxIdleCells;
  }

  /** True if a generation that runs alone is slowed down by the contents of idle slots. */
  isSlowed(running: Slot): boolean {
    return (
      this.isSlowedByIdle && this.slots.every((each) => !each.isBusy || each.id === running.id)
    );
  }

  /** Ends the use of a slot, or the move of its content. */
  free(slot: Slot): void {
    slot.isBusy = false;
    slot.isGenerating = false;
    this.onFree();
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
    const view = { id, content, lastUsed, isSaved };
    if (content === undefined || content.heldTokens < minTokens) {
      return { ...view, isSavable: false, isReadFast: true, isCrowdedOut: false };
    }
    const isCrowdedOut = this.isSlowedByIdle && this.isIdle && this.isMovable(slot);
    const isReadFast = this.#isReadFast(content, isCrowdedOut);
    return { ...view, isSavable: this.isSavable(content), isReadFast, isCrowdedOut };
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

/**
 * Chooses the slot that reads a prompt, by the longest common beginning. A saved state is restored if it saves more
 * than the best slot. Undefined if there is no slot.
 *
 * @param states The better place of equal ones first.
 */
export function chooseSlot<State extends { readonly prompt: CachedPrompt }>(
  slots: readonly SlotView[],
  states: readonly State[],
  prompt: PrefixHash,
): SlotChoice<State> | undefined {
  const [best] = rank(slots, prompt);
  if (best === undefined) return undefined;
  const [state] = states
    .map((each) => ({ each, matched: matchedTokens(each.prompt, prompt) }))
    .toSorted((one, other) => other.matched - one.matched);
  if (state !== undefined && state.matched >= best.matched + minTokens) {
    const isContinued = best.matched > 0 && best.lost === 0;
    const slot = isContinued ? best.slot : leastUsed(slots);
    const saves = !isContinued && isLostBy(slot, slot.content?.heldTokens ?? 0);
    return { slotId: slot.id, saves, restores: state.each, expectedTokens: state.matched };
  }
  const isOnlyCopy = best.lost >= minTokens && !best.slot.isSaved && !best.slot.isSavable;
  const isSmall = (best.matched < minTokens && !best.hasWhole) || isOnlyCopy;
  if (!isSmall || best.matched > best.lost) {
    const saves = isLostBy(best.slot, best.lost);
    return { slotId: best.slot.id, saves, restores: undefined, expectedTokens: best.matched };
  }
  const slot = leastUsed(slots);
  const saves = isLostBy(slot, slot.content?.heldTokens ?? 0);
  return { slotId: slot.id, saves, restores: undefined, expectedTokens: 0 };
}

function rank(slots: readonly SlotView[], prompt: PrefixHash) {
  return slots
    .map((slot) => {
      const { content } = slot;
      const matched = content === undefined ? 0 : matchedTokens(content, prompt);
      // The same prompt once more: only an answer to it is lost.
      const hasWhole =
        content !== undefined &&
        matched > 0 &&
        commonCharacters(content.prefix, prompt) === charactersOf(prompt);
      return { slot, matched, hasWhole, lost: (content?.tokens ?? 0) - matched };
    })
    .toSorted(
      (one, other) =>
        other.matched - one.matched ||
        one.lost - other.lost ||
        one.slot.lastUsed - other.slot.lastUsed,
    );
}

/**
 * The slot whose content is needed least: one with a short content, which begins with the same chat template; one whose
 * content should leave it, for the same reason; an empty one; the one that was not used for the longest time.
 */
function leastUsed(slots: readonly SlotView[]): SlotView {
  const [first] = slots.toSorted(
    (one, other) => contentRank(one) - contentRank(other) || one.lastUsed - other.lastUsed,
  );
  if (first === undefined) throw new TypeError('no slot');
  return first;
}

function contentRank({ content, isCrowdedOut }: SlotView): number {
  const tokens = content?.heldTokens ?? 0;
  if (tokens === 0) return 2;
  if (tokens < minTokens) return 0;
  return isCrowdedOut ? 1 : 3;
}

/** True if enough of a slot is lost to save it before. */
export function isLostBy(
  { isSaved, isSavable, isReadFast }: SlotView,
  lostTokens: number,
): boolean {
  return isSavable && !isSaved && !isReadFast && lostTokens >= minTokens;
}
