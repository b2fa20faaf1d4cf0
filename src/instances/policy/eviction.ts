import type { Purpose } from '../purpose.ts';
import { isIdle, type InstanceView } from './instance-view.ts';

/** A model that is to be loaded. */
export interface LoadDemand {
  readonly modelKey: string;
  readonly variantId: string;
  readonly purpose: Purpose;
  /** Whether somebody asks for it by name, rather than a request that needs it. */
  readonly isExplicit: boolean;
  readonly estimatedBytes: number;
}

/** Whether an instance may ever go for a load, be it busy now or not. */
export function isEvictable(instance: InstanceView, demand: LoadDemand): boolean {
  if (instance.state === 'waiting' || instance.isExplicit) return false;
  // Pinning keeps a model loaded, not every context that a request once asked for.
  return !instance.isPinned || (!demand.isExplicit && isSameModel(instance, demand));
}

/**
 * Whether an instance was left behind by a request for another context: it goes, once idle, when the same model
 * is loaded again, so that a caller who asks for ever new contexts holds no more of them than it uses.
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
 * Whether a load takes the place of an instance where only the last just-in-time model is kept
 * (`models.autoEvict`). Chat and embedding models do not take each other's place: a client that searches its
 * documents uses one of each by turns.
 */
export function isSuperseded(instance: InstanceView, demand: LoadDemand): boolean {
  return (
    !demand.isExplicit &&
    instance.purpose === demand.purpose &&
    instance.modelKey !== demand.modelKey &&
    isEvictable(instance, demand)
  );
}

function isSameModel(instance: InstanceView, demand: LoadDemand): boolean {
  return instance.modelKey === demand.modelKey && instance.variantId === demand.variantId;
}
