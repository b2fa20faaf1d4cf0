import type { CachedPrompt } from './prefix-hash.ts';
import type { Settle } from './slot-table.ts';

/** One generation's use of a slot. */
export interface SlotUse {
  readonly slotId: number;
  /** Cells that the generation may use. */
  readonly cells: number;
  /** True if the engine may use tokens that the slot has already read. */
  readonly reusesSlot: boolean;
  /** Tokens of the prompt that the slot has already read, estimated. */
  readonly expectedTokens: number;
  /**
   * Saves the beginning of the prompt that the slot has read, in memory, so that other prompts can restore it. Call
   * it while the engine does nothing in this slot. Never throws.
   *
   * @param beginning `tokens` counts the beginning's tokens; `heldTokens` counts all tokens in the slot.
   */
  share(beginning: Pick<CachedPrompt, 'prefix' | 'tokens' | 'heldTokens'>): Promise<void>;
  /** Sets the number of cells. If necessary, drops contents of idle slots. Resolves when the engine has room. */
  resize(cells: number): Promise<void>;
  /**
   * Call it when the generation has ended.
   * @param content Current content of the slot.
   * @param cachedTokens Tokens that came from the cache; undefined if the generation failed.
   * @param settle Prepares the slot for the next turn, in idle time before it is saved. Resolves to the new content.
   */
  release(content: CachedPrompt, cachedTokens: number | undefined, settle?: Settle): void;
}
