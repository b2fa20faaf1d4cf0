import type { AvailableMemory } from '../../../platform/machine/available-memory.ts';
import {
  bytesById,
  dedicatedBytes,
  type GpuBudget,
} from '../../../platform/machine/gpu-devices.ts';
import { isLeftBehind, isSuperseded, isEvictable, type LoadDemand } from './eviction.ts';
import type { Room } from './choose-sizes.ts';
import { isIdle, type InstanceView } from './instance-view.ts';

export interface Capacity {
  /** Maximum bytes of all instances together; undefined: limited only by the machine's memory. */
  readonly limitBytes: number | undefined;
  /** Memory that a new process could use now. Instances that are loading have not taken theirs yet. */
  readonly available: AvailableMemory;
  /** The GPUs, with the bytes that all instances together may use; absent if there are none. */
  readonly gpus?: readonly GpuBudget[];
  /** Maximum number of instances. */
  readonly maxLoaded: number | undefined;
  /** True if a just-in-time load replaces the others (`models.autoEvict`). */
  readonly keepsOnlyLast: boolean;
}

export type Admission =
  | { readonly kind: 'load' }
  /** Unload the instances in `evict`, if any, and decide again when an instance has ended or become idle. */
  | { readonly kind: 'wait'; readonly evict: readonly string[] }
  /** The model does not fit, even after all evictions. */
  | { readonly kind: 'refuse'; readonly lacks: 'memory' | 'places' };

/**
 * Decides whether a model may be loaded now, later, or not at all. Evicts only idle just-in-time instances, the least
 * recently used first, and no more than necessary; waits for busy instances. A model that needs no memory of this
 * machine is always admitted.
 */
export function admit(
  instances: readonly InstanceView[],
  demand: LoadDemand,
  capacity: Capacity,
): Admission {
  if (!demand.needsMemory) return { kind: 'load' };
  const holders = holdersOf(instances);
  const suffice = (gone: readonly InstanceView[]): boolean => fits(holders, gone, demand, capacity);
  if (suffice([])) return { kind: 'load' };

  const stopping = holders.filter(({ state }) => state === 'stopping');
  const candidates = holders.filter(
    (instance) => instance.state !== 'stopping' && isEvictable(instance, demand),
  );
  const allGone = [...stopping, ...candidates];
  if (!suffice(allGone)) {
    const lacks = freePlaces(holders, allGone, capacity) > 0 ? 'memory' : 'places';
    return { kind: 'refuse', lacks };
  }
  const needed = fewestNeeded(inEvictionOrder(candidates, demand, capacity), (gone) =>
    suffice([...stopping, ...gone]),
  );
  return { kind: 'wait', evict: needed.filter(isIdle).map(({ id }) => id) };
}

/**
 * The bytes that a load may use without unloading more instances than it would with the smallest sizes. Instances
 * that the load replaces anyway count as unloaded, so that the chosen sizes do not depend on the previous model.
 *
 * @param smallest The demand with the smallest sizes.
 */
export function roomFor(
  instances: readonly InstanceView[],
  smallest: LoadDemand,
  capacity: Capacity,
): Room {
  const holders = holdersOf(instances);
  const candidates = holders.filter(
    (instance) => instance.state !== 'stopping' && isEvictable(instance, smallest),
  );
  const leaving = holders.filter(
    (instance) =>
      instance.state === 'stopping' ||
      (candidates.includes(instance) &&
        isIdle(instance) &&
        isReplaced(instance, smallest, capacity)),
  );
  const ordered = inEvictionOrder(candidates, smallest, capacity).filter(
    (instance) => !leaving.includes(instance),
  );
  const suffice = (gone: readonly InstanceView[]): boolean =>
    fits(holders, [...leaving, ...gone], smallest, capacity);
  const gone = [...leaving, ...(suffice([]) ? [] : fewestNeeded(ordered, suffice))];
  return {
    hostBytes: Math.max(0, usableBytes(holders, gone, capacity)),
    gpuBytes: dedicatedBytes(usableGpus(holders, gone, capacity)),
  };
}

/**
 * The bytes that a load could use after unloading all evictable instances, and the instances that would remain
 * (`kept`).
 *
 * @param demand Undefined: any load by name.
 */
export function maxAvailable(
  instances: readonly InstanceView[],
  demand: LoadDemand | undefined,
  capacity: Capacity,
): {
  readonly usableBytes: number;
  readonly usableGpus: readonly GpuBudget[];
  readonly kept: readonly InstanceView[];
} {
  const holders = holdersOf(instances);
  const stays = (instance: InstanceView): boolean =>
    instance.state !== 'stopping' && !isEvictable(instance, demand);
  const gone = holders.filter((instance) => !stays(instance));
  return {
    usableBytes: Math.max(0, usableBytes(holders, gone, capacity)),
    usableGpus: usableGpus(holders, gone, capacity),
    kept: holders.filter(stays),
  };
}

function fits(
  holders: readonly InstanceView[],
  gone: readonly InstanceView[],
  { estimatedBytes, gpuBytes }: LoadDemand,
  capacity: Capacity,
): boolean {
  const gpus = bytesById(usableGpus(holders, gone, capacity));
  return (
    usableBytes(holders, gone, capacity) >= estimatedBytes &&
    [...(gpuBytes ?? [])].every(([id, bytes]) => (gpus.get(id) ?? 0) >= bytes) &&
    freePlaces(holders, gone, capacity) > 0
  );
}

/** The instances that use this machine's memory now. */
function holdersOf(instances: readonly InstanceView[]): readonly InstanceView[] {
  return instances.filter(({ state, needsMemory }) => needsMemory && state !== 'waiting');
}

/** Main memory for another instance after the instances in `gone` have ended; negative after some forced loads. */
function usableBytes(
  holders: readonly InstanceView[],
  gone: readonly InstanceView[],
  { limitBytes, available }: Capacity,
): number {
  const sum = (views: readonly InstanceView[], bytesOf: (view: InstanceView) => number): number =>
    views.reduce((bytes, view) => bytes + bytesOf(view), 0);
  const staying = holders.filter((instance) => !gone.includes(instance));
  const ofMachine =
    available.bytes -
    sum(staying, (view) => unseenBytes(view, available)) +
    sum(gone, (view) => seenBytes(view, available));
  return limitBytes === undefined
    ? ofMachine
    : Math.min(ofMachine, limitBytes - sum(staying, ({ estimatedBytes }) => estimatedBytes));
}

/**
 * The GPUs with the bytes for another instance after the instances in `gone` have ended. The capacity already
 * excludes memory that other programs use.
 */
function usableGpus(
  holders: readonly InstanceView[],
  gone: readonly InstanceView[],
  { gpus = [] }: Capacity,
): readonly GpuBudget[] {
  const staying = holders.filter((instance) => !gone.includes(instance));
  return gpus.map((gpu) => {
    const used = staying.reduce((sum, { gpuBytes }) => sum + (gpuBytes.get(gpu.id) ?? 0), 0);
    return { ...gpu, bytes: Math.max(0, gpu.bytes - used) };
  });
}

/** The GPUs with their free bytes, minus the bytes that waiting loads will use. */
export function freeGpus(
  instances: readonly InstanceView[],
  capacity: Capacity,
): readonly GpuBudget[] {
  const holders = instances.filter(({ needsMemory }) => needsMemory);
  return usableGpus(holders, [], capacity);
}

/** Bytes of an instance that the system still counts as available. */
function unseenBytes(
  { state, estimatedBytes, mappedBytes }: InstanceView,
  { includesMappedFiles }: AvailableMemory,
): number {
  if (state === 'loading') return estimatedBytes;
  return includesMappedFiles ? mappedBytes : 0;
}

/** Bytes that will become available when the instance has ended. */
function seenBytes(view: InstanceView, available: AvailableMemory): number {
  return view.estimatedBytes - unseenBytes(view, available);
}

function freePlaces(
  holders: readonly InstanceView[],
  gone: readonly InstanceView[],
  { maxLoaded }: Capacity,
): number {
  return (maxLoaded ?? Number.POSITIVE_INFINITY) - (holders.length - gone.length);
}

/**
 * Sorts instances by the order of eviction: first idle ones that the load replaces anyway, then other idle ones, then
 * busy ones; each group with the least recently used first.
 */
function inEvictionOrder(
  candidates: readonly InstanceView[],
  demand: LoadDemand,
  capacity: Capacity,
): readonly InstanceView[] {
  const rank = (instance: InstanceView): number => {
    if (!isIdle(instance)) return 2;
    return isReplaced(instance, demand, capacity) ? 0 : 1;
  };
  return candidates.toSorted(
    (one, other) => rank(one) - rank(other) || one.lastUsedAt - other.lastUsedAt,
  );
}

/** True if the load evicts the instance once it is idle, even if there is enough memory for both. */
function isReplaced(
  instance: InstanceView,
  demand: LoadDemand,
  { keepsOnlyLast }: Capacity,
): boolean {
  return isLeftBehind(instance, demand) || (keepsOnlyLast && isSuperseded(instance, demand));
}

/** The shortest prefix of the list that suffices, then without the instances that are not necessary after all. */
function fewestNeeded(
  ordered: readonly InstanceView[],
  suffice: (gone: readonly InstanceView[]) => boolean,
): readonly InstanceView[] {
  let needed: readonly InstanceView[] = [];
  for (const instance of ordered) {
    needed = [...needed, instance];
    if (suffice(needed)) break;
  }
  for (const instance of needed.toReversed()) {
    const without = needed.filter((other) => other !== instance);
    if (suffice(without)) needed = without;
  }
  return needed;
}
