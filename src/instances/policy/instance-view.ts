import type { Purpose } from '../purpose.ts';

/** An instance as the scheduler's decisions see it: plain data, which they do not change. */
export interface InstanceView {
  readonly id: string;
  readonly modelKey: string;
  readonly variantId: string;
  readonly purpose: Purpose;
  readonly contextLength: number;
  /** Requests that run at once (slots). */
  readonly parallel: number;
  /** `waiting`: queued, holds no memory; `stopping`: holds its memory until its engine has ended. */
  readonly state: 'waiting' | 'loading' | 'ready' | 'stopping';
  /** Whether it was loaded by name, and not by a request that needed it. */
  readonly isExplicit: boolean;
  /** Whether its model is in `models.pinned`. */
  readonly isPinned: boolean;
  /** Requests that run on it, wait for one of its slots, or wait for its load. */
  readonly requestCount: number;
  /** Grows with every use; only the order counts. */
  readonly lastUsedAt: number;
  /** Whether it takes memory of this machine; only then it counts in the admission. */
  readonly needsMemory: boolean;
  readonly estimatedBytes: number;
  /** The part of `estimatedBytes` that is mapped from a file: the system counts it as available all the same. */
  readonly mappedBytes: number;
  /** Beginnings of its latest prompts. */
  readonly recentPrompts: readonly string[];
}

/** Whether it is ready and no request uses it. */
export function isIdle({ state, requestCount }: InstanceView): boolean {
  return state === 'ready' && requestCount === 0;
}
