import {
  matchedTokens,
  charactersOf,
  commonCharacters,
  type CachedPrompt,
  type PrefixHash,
} from './prefix-hash.ts';

/** Shorter beginnings are read again: that takes as long as saving and restoring them. */
export const minTokens = 64;

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
