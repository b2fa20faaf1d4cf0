import type { CachedPrompt } from './cached-prompt.ts';
import type { Settle } from './slot-use.ts';

/** What Hearth knows of one slot of an engine. */
export interface Slot {
  readonly id: number;
  content: CachedPrompt | undefined;
  /** Of the prompt that the engine has; undefined: unknown. */
  owner: { readonly id: string | null } | undefined;
  /** Whether it was never used. */
  isFresh: boolean;
  lastUsed: number;
  isSaved: boolean;
  isBusy: boolean;
  /** Cells of the cache that it may hold: while it is in use, those of the prompt and its longest answer. */
  cells: number;
  settle: Settle | undefined;
}

export function newSlot(id: number): Slot {
  return {
    id,
    content: undefined,
    owner: undefined,
    isFresh: true,
    lastUsed: 0,
    isSaved: false,
    isBusy: false,
    cells: 0,
    settle: undefined,
  };
}
