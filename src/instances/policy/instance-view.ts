import type { Purpose } from '../purpose.ts';

/** What the scheduler's decisions see of an instance: plain data, which they do not change. */
export interface InstanceView {
  readonly id: string;
  readonly modelKey: string;
  readonly variantId: string;
  readonly purpose: Purpose;
  readonly contextLength: number;
  /** Requests that it works on at once. */
  readonly parallel: number;
  /** `waiting` ones stand in line and hold no memory; `stopping` ones hold theirs until their process has gone. */
  readonly state: 'waiting' | 'loading' | 'ready' | 'stopping';
  /** Whether somebody loaded it by name, rather than a request that needed it. */
  readonly isExplicit: boolean;
  /** Whether the operator wants its model kept (`models.pinned`). */
  readonly isPinned: boolean;
  /** Requests that run on it, wait for a slot of it, or wait for its load. */
  readonly requestCount: number;
  /** Grows with every use; only the order counts. */
  readonly lastUsedAt: number;
  readonly estimatedBytes: number;
  /** Of these, what is mapped from a file: the system counts it as available, though it is in use. */
  readonly mappedBytes: number;
  /** Beginnings of the prompts that it worked on last. */
  readonly recentPrompts: readonly string[];
}

/** Whether nobody needs it at the moment. */
export function isIdle({ state, requestCount }: InstanceView): boolean {
  return state === 'ready' && requestCount === 0;
}
