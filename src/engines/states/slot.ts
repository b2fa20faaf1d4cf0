import type { CachedPrompt } from './prefix-hash.ts';

/** Brings a slot to the beginning of the next turn, and gives its content then. */
export type Settle = (signal: AbortSignal) => Promise<CachedPrompt>;

/** Hearth's record of one slot of an engine. */
export interface Slot {
  readonly id: number;
  content: CachedPrompt | undefined;
  /** Owner of the prompt in the engine, with its mix of adapters; undefined: unknown. */
  owner: { readonly id: string | null; readonly mix: string } | undefined;
  /** The mix of adapters that the engine used last in the slot; it compares the next request with it. */
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

/** @param engineMix Undefined: unknown. */
export function newSlot(id: number, engineMix: string | undefined): Slot {
  return {
    id,
    content: undefined,
    owner: undefined,
    engineMix,
    isFresh: true,
    lastUsed: 0,
    isSaved: false,
    isBusy: false,
    isGenerating: false,
    cells: 0,
    settle: undefined,
  };
}
