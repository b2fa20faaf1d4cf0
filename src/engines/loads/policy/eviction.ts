import type { GpuBytes } from '../../../platform/machine/gpu-devices.ts';
import type { Purpose } from '../purpose.ts';
import { isIdle, type InstanceView } from './instance-view.ts';

/** The facts about a load that decide its admission. */
export interface LoadDemand {
  readonly modelKey: string;
  readonly variantId: string;
  /** Name of a profile that has its own instances. */
  readonly profile?: string;
  readonly purpose: Purpose;
  /** True if the model is loaded by name instead of just in time. */
  readonly isExplicit: boolean;
  /** True if the model uses memory of this machine. */
  readonly needsMemory: boolean;
  /** Main memory of the machine. */
  readonly estimatedBytes: number;
  /** GPU memory; absent: none. */
  readonly gpuBytes?: GpuBytes;
}

/**
 * True if an instance may be unloaded for a load, at once or as soon as it is idle.
 *
 * @param demand Undefined: any load by name.
 */
export function isEvictable(instance: InstanceView, demand: LoadDemand | undefined): boolean {
  if (instance.state === 'waiting' || instance.isExplicit) return false;
  // Pinning keeps the model loaded, but not each instance: another one of the model may replace this one.
  return !instance.isPinned || (demand?.isExplicit === false && isSameModel(instance, demand));
}

/**
 * True if a load supersedes an idle instance of the same model that has another context or lacks the adapters. That
 * instance is then unloaded, so that a client with varying contexts occupies only instances that it uses.
 */
export function isLeftBehind(instance: InstanceView, demand: LoadDemand): boolean {
  return (
    !demand.isExplicit &&
    isSameModel(instance, demand) &&
    isIdle(instance) &&
    isEvictable(instance, demand)
  );
}

/**
 * True if a load replaces an instance when only the last just-in-time model is kept (`models.autoEvict`). Models for
 * chat, embeddings and reranking do not replace each other, since a client that searches its documents alternates
 * between them.
 */
export function isSuperseded(instance: InstanceView, demand: LoadDemand): boolean {
  return (
    !demand.isExplicit &&
    demand.needsMemory &&
    instance.needsMemory &&
    instance.purpose === demand.purpose &&
    instance.modelKey !== demand.modelKey &&
    isEvictable(instance, demand)
  );
}

function isSameModel(instance: InstanceView, demand: LoadDemand): boolean {
  return (
    instance.modelKey === demand.modelKey &&
    instance.variantId === demand.variantId &&
    instance.profile === demand.profile
  );
}
