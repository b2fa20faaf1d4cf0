import type { GpuBytes } from '../../../platform/machine/gpu-devices.ts';
import type { Purpose } from '../purpose.ts';

/** An instance as immutable plain data, for the scheduler's policies. */
export interface InstanceView {
  readonly id: string;
  readonly modelKey: string;
  readonly variantId: string;
  /** The profile to which the instance belongs; absent: it belongs to the model itself. */
  readonly profile?: string;
  readonly purpose: Purpose;
  readonly contextLength: number;
  /** Number of slots: requests that run in parallel. */
  readonly parallel: number;
  /** Ids of the adapters that requests can choose. */
  readonly adapterIds: readonly string[];
  /** True if the instance applies adapters to requests that choose none. */
  readonly appliesAdapters: boolean;
  /** `waiting`: queued, uses no memory yet; `stopping`: uses memory until the engine has ended. */
  readonly state: 'waiting' | 'loading' | 'ready' | 'stopping';
  /** True if the instance was loaded by name instead of just in time. */
  readonly isExplicit: boolean;
  /** True if the model's settings keep the instance loaded. */
  readonly isPinned: boolean;
  /** Number of requests that run, wait for a slot, or wait for the load. */
  readonly requestCount: number;
  /** Increases with every use; only the order matters. */
  readonly lastUsedAt: number;
  /** True if the instance uses memory of this machine. The admission ignores other instances. */
  readonly needsMemory: boolean;
  /** Main memory of the machine. */
  readonly estimatedBytes: number;
  readonly gpuBytes: GpuBytes;
  /** The part of `estimatedBytes` that is mapped from a file. Some systems still report it as available. */
  readonly mappedBytes: number;
  /** Beginnings of the instance's latest prompts. */
  readonly recentPrompts: readonly string[];
}

/** True if the instance is ready and no request uses it. */
export function isIdle({ state, requestCount }: InstanceView): boolean {
  return state === 'ready' && requestCount === 0;
}
