import type { ActivePrompt } from './active-prompt.ts';
import type { CachedPrompt } from './cached-prompt.ts';

/** Brings a slot to the beginning of the next turn, and gives its content then. */
export type Settle = (signal: AbortSignal) => Promise<CachedPrompt>;

/** A prompt without an answer; its tokens are not known. Without a number of cells, it takes a whole context. */
export type SlotRequest = Omit<CachedPrompt, 'tokens' | 'heldTokens'> &
  Partial<Pick<ActivePrompt, 'mostCells' | 'cellsFor' | 'tokens'>>;

/** The use of a slot by one generation. */
export interface SlotUse {
  readonly slotId: number;
  /** Whether the engine may use tokens that the slot has already read. */
  readonly reusesSlot: boolean;
  /** Tokens of the prompt that the slot has already read, estimated. */
  readonly expectedTokens: number;
  /**
   * Saves the beginning of the prompt, which the slot has read, in memory, so that others restore it. To be called while
   * the engine does nothing in this slot; never throws.
   *
   * @param beginning With the number of its tokens, and of those in the slot.
   */
  share(beginning: Pick<CachedPrompt, 'chain' | 'tokens' | 'heldTokens'>): Promise<void>;
  /** Notes how many tokens the engine found in the prompt. */
  noteTokens(promptTokens: number): void;
  /**
   * To be called when the generation has ended.
   *
   * @param content What the slot contains now.
   * @param cachedTokens Tokens that came from the cache; undefined if the generation failed.
   * @param settle Brings the slot to what the next turn begins with, before it is saved in idle time; gives its content.
   */
  release(content: CachedPrompt, cachedTokens: number | undefined, settle?: Settle): void;
}
