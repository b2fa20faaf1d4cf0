import {
  charactersOf,
  commonCharacters,
  matchedTokens,
  type CachedPrompt,
  type PrefixHash,
} from './prefix-hash.ts';

/** Shorter beginnings are not saved: reading them again takes no longer than saving and restoring them. */
export const minTokens = 64;

/** Contents that can be read again in less time are not saved, since a request would wait for that. */
const minReadSeconds = 0.25;
/** The same while other requests run: saving then takes longer, since the engine finishes its step first. */
const minReadSecondsBesideOthers = 0.5;
/** Contents that can be read again in less time are not moved, since saving and restoring them takes as long. */
const minMovedReadSeconds = 0.05;
/**
 * Longer contents are moved even if they can be read again quickly: they slow down long prompts by more time than
 * moving them takes.
 */
const minMovedTokens = 256;

/** Size of a KV cache that the slots share, in cells. A cell holds one token. */
export interface CacheSize {
  readonly totalCells: number;
  /** Maximum cells of one slot. */
  readonly contextLength: number;
  /**
   * Maximum cells in idle slots. The engine passes over them in each step, so more would slow it down. Undefined: no
   * limit.
   */
  readonly maxIdleCells?: number | undefined;
}

/** Replaces a slot's content with the beginning of the next turn's prompt, and resolves to the new content. */
export type Settle = (signal: AbortSignal) => Promise<CachedPrompt>;

/** Hearth's record of one slot of an engine. */
export interface Slot {
  readonly id: number;
  content: CachedPrompt | undefined;
  /** Owner and mix of adapters of the prompt that is in the slot; undefined: unknown. */
  owner: { readonly id: string | null; readonly mix: string } | undefined;
  /**
   * The mix of adapters that the engine last used in the slot. The engine empties the slot if the next request has
   * another mix. Undefined: unknown.
   */
  engineMix: string | undefined;
  /** True if the slot was never used. */
  isFresh: boolean;
  lastUsed: number;
  isSaved: boolean;
  /** True while a generation uses the slot, or its content is moved. */
  isBusy: boolean;
  isGenerating: boolean;
  /** Cells of the cache that the slot may hold. While a generation runs, these are its reserved cells. */
  cells: number;
  settle: Settle | undefined;
}

export interface SlotView {
  readonly id: number;
  /** Undefined while the slot is empty. */
  readonly content: CachedPrompt | undefined;
  /** Increases with every use; only the order matters. */
  readonly lastUsed: number;
  /** True if a state of the content exists. */
  readonly isSaved: boolean;
  /** True if a state of the content may be saved. */
  readonly isSavable: boolean;
  /** True if the content can be read again so quickly that saving it does not pay. */
  readonly isReadFast: boolean;
  /** True if the content slows down the engine, so that it should leave the slot. */
  readonly isCrowdedOut: boolean;
}

export interface SlotChoice<State> {
  readonly slotId: number;
  /** True if the slot's content must be saved before it is overwritten. */
  readonly saves: boolean;
  /** The state to restore into the slot. */
  readonly restores: State | undefined;
  /** Estimated number of the prompt's tokens that need not be read. */
  readonly expectedTokens: number;
}

export interface SlotTableOptions {
  readonly slotCount: number;
  /** True if requests choose adapters. */
  readonly hasAdapters?: boolean;
  /** The cache, if the slots share it. */
  readonly cacheSize?: CacheSize;
  /** True if states are saved in memory, so that they may also be states of requests that are not stored. */
  readonly isMemory: boolean;
  /** True if states of requests that are not stored may be written to disk, too. */
  readonly persistsStateless: boolean;
  /** Reading speed; `secondsToRead` returns undefined while it is unknown. */
  readonly speed: { secondsToRead(tokens: number): number | undefined };
}

/** The slots of one engine, and the facts that decide which contents leave their slots. */
export class SlotTable {
  readonly slots: readonly Slot[];
  /** True if the slots together may need more cells than the cache has. */
  readonly canRunFull: boolean;
  readonly cacheSize: CacheSize | undefined;
  readonly #options: SlotTableOptions;
  /** Called when a slot is no longer busy. */
  onFree = (): void => {};

  constructor(options: SlotTableOptions) {
    const { cacheSize, slotCount, hasAdapters = false } = options;
    this.#options = options;
    this.cacheSize = cacheSize;
    this.canRunFull =
      cacheSize !== undefined && cacheSize.totalCells < slotCount * cacheSize.contextLength;
    this.slots = Array.from({ length: slotCount }, (_, id) => newSlot(id, hasAdapters));
  }

  /** True if no slot is busy. */
  get isIdle(): boolean {
    for (const { isBusy } of this.slots) if (isBusy) return false;
    return true;
  }

  /** Cells of slots whose contents are being moved. */
  get busyCells(): number {
    return cellsOf(this.slots.filter(({ isBusy, isGenerating }) => isBusy && !isGenerating));
  }

  /** True if idle slots hold so many cells that running generations may lack cells. */
  get isTight(): boolean {
    return cellsOf(this.slots) > (this.cacheSize?.totalCells ?? Infinity);
  }

  /** True if idle slots hold so many cells that contents should be moved into memory. */
  get isSlowedByIdle(): boolean {
    const { maxIdleCells } = this.cacheSize ?? {};
    if (maxIdleCells === undefined || !this.#options.isMemory) return false;
    let idleCells = 0;
    for (const { isBusy, cells } of this.slots) if (!isBusy) idleCells += cells;
    return idleCells > maxIdleCells;
  }

  /** True if the running generation is the only one, and contents of idle slots slow it down. */
  isSlowed(running: Slot): boolean {
    return (
      this.isSlowedByIdle && this.slots.every((each) => !each.isBusy || each.id === running.id)
    );
  }

  /** Marks a slot as no longer busy, after a generation or a move of its content. */
  free(slot: Slot): void {
    slot.isBusy = false;
    slot.isGenerating = false;
    this.onFree();
  }

  /** True if a state of the prompt may be written to disk. */
  isKeepable({ responseId }: CachedPrompt): boolean {
    return responseId !== null || this.#options.persistsStateless;
  }

  /** True if a state of the prompt may be saved at all. */
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

  /** True if a content should be moved before a prompt is read, since it also slows down the reading. */
  isLong(content: CachedPrompt): boolean {
    return content.heldTokens >= minMovedTokens || this.#readSeconds(content) >= minReadSeconds;
  }

  /** True if a content may be moved into memory. False if it can't be saved, or is short and quickly read again. */
  isMovable({ content, settle, isSaved }: Slot): boolean {
    // Unsettled content stays until it is settled, since the next turn would not continue its state.
    if (content === undefined || settle !== undefined) return false;
    const least = this.#readSeconds(content) < minMovedReadSeconds ? minMovedTokens : minTokens;
    return content.heldTokens >= least && (isSaved || this.isSavable(content));
  }

  #isReadFast(content: CachedPrompt, isCrowdedOut: boolean): boolean {
    // A long content would be moved anyway, even if it could stay in its slot.
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
 * Chooses the slot for a prompt, by the longest common beginning. Chooses to restore a saved state if that saves
 * clearly more tokens than the best slot. Undefined if there is no slot.
 *
 * @param states If states are equally good, the first one is chosen.
 */
export function chooseSlot<State extends { readonly prompt: CachedPrompt }>(
  slots: readonly SlotView[],
  states: readonly State[],
  prompt: PrefixHash,
): SlotChoice<State> | undefined {
  const best = bestMatch(slots, prompt);
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

interface SlotMatch {
  readonly slot: SlotView;
  /** Tokens of the prompt that the slot has. */
  readonly matched: number;
  /** True if the slot has the whole prompt. If the prompt is repeated, only its earlier answer is lost. */
  readonly hasWhole: boolean;
  /** Tokens of the content that the prompt overwrites. */
  readonly lost: number;
}

/** Finds the slot that matches most; if equal, the one that loses least, then the least recently used one. */
function bestMatch(slots: readonly SlotView[], prompt: PrefixHash): SlotMatch | undefined {
  let best: SlotMatch | undefined;
  for (const slot of slots) {
    const { content } = slot;
    const matched = content === undefined ? 0 : matchedTokens(content, prompt);
    const hasWhole =
      content !== undefined &&
      matched > 0 &&
      commonCharacters(content.prefix, prompt) === charactersOf(prompt);
    const lost = (content?.tokens ?? 0) - matched;
    const isBetter =
      best === undefined ||
      (best.matched - matched || lost - best.lost || slot.lastUsed - best.slot.lastUsed) < 0;
    if (isBetter) best = { slot, matched, hasWhole, lost };
  }
  return best;
}

/**
 * Finds the slot whose content is needed least. Prefers slots with a short content, then slots whose content should
 * leave them, since both usually have the chat template; then empty slots, then the least recently used slot.
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

/** True if so much of a slot's content would be lost that it should be saved first. */
export function isLostBy(
  { isSaved, isSavable, isReadFast }: SlotView,
  lostTokens: number,
): boolean {
  return isSavable && !isSaved && !isReadFast && lostTokens >= minTokens;
}
