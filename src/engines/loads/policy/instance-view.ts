import type { GpuBytes } from '../../../platform/machine/gpu-devices.ts';
import type { Purpose } from '../purpose.ts';

/** An instance as immutable plain data, for the scheduler's policies. */
export interface InstanceView {
  readonly id: string;
  readonly modelKey: string;
  readonly variantId: string;
  /** The profile that it is an instance of; absent: of the model itself. */
  readonly profile?: string;
  readonly purpose: Purpose;
  readonly contextLength: number;
  /** Number of slots: requests that run in parallel. */
  readonly parallel: number;
  /** Ids of the adapters that requests can choose. */
  readonly adapterIds: readonly string[];
  /** True if it applies adapters to requests that choose none. */
  readonly appliesAdapters: boolean;
  /** `waiting`: queued, uses no memory; `stopping`: uses its memory until its engine has ended. */
  readonly state: 'waiting' | 'loading' | 'ready' | 'stopping';
  /** True if it was loaded by name instead of just in time. */
  readonly isExplicit: boolean;
  /** True if `models.pinned` or the settings of its model keep it loaded. */
  readonly isPinned: boolean;
  /** Number of requests that run on it or wait for a slot or its load. */
  readonly requestCount: number;
  /** Increases with every use; only the order matters. */
  readonly lastUsedAt: number;
  /** True if it uses memory of this machine; others are ignored by the admission. */
  readonly needsMemory: boolean;
  /** Memory of the machine. */
  readonly estimatedBytes: number;
  readonly gpuBytes: GpuBytes;
  /** The part of `estimatedBytes` that is mapped from a file; some systems still report it as available. */
  readonly mappedBytes: number;
  /** Beginnings of its latest prompts. */
  readonly recentPrompts: readonly string[];
}

/** True if it is ready and no request uses it. */
export function isIdle({ state, requestCount }: InstanceView): boolean {
  return state === 'ready' && requestCount === 0;
}
