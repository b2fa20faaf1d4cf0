import { isLeftBehind, isSuperseded, isEvictable, type LoadDemand } from './eviction.ts';
import { isIdle, type InstanceView } from './instance-view.ts';

export interface Capacity {
  /** Most bytes that all instances may need together; undefined: what the machine has. */
  readonly limitBytes: number | undefined;
  /** Bytes that a new process could take now, without what the instances need that are loading still. */
  readonly availableBytes: number;
  /** Most instances at once. */
  readonly maxLoaded: number | undefined;
  /** Whether a just-in-time load takes the place of the others (`models.autoEvict`). */
  readonly keepsOnlyLast: boolean;
}

export type Admission =
  | { readonly kind: 'load' }
  /** Unload these, if any, and decide again when an instance has gone or got idle. */
  | { readonly kind: 'wait'; readonly evict: readonly string[] }
  /** It does not fit, whatever goes. */
  | { readonly kind: 'refuse'; readonly lacks: 'memory' | 'places' };

/**
 * Whether a model may be loaded now, later, or not at all. Evicts idle just-in-time instances only, least
 * recently used first, and no more than needed; what has to go but is busy is waited for.
 */
export function admit(
  instances: readonly InstanceView[],
  demand: LoadDemand,
  capacity: Capacity,
): Admission {
  const holders = instances.filter(({ state }) => state !== 'waiting');
  const fits = (gone: readonly InstanceView[]): boolean =>
    usableBytes(holders, gone, capacity) >= demand.estimatedBytes &&
    freePlaces(holders, gone, capacity) > 0;
  if (fits([])) return { kind: 'load' };

  const stopping = holders.filter(({ state }) => state === 'stopping');
  if (fits(stopping)) return { kind: 'wait', evict: [] };

  const candidates = holders.filter(
    (instance) => instance.state !== 'stopping' && isEvictable(instance, demand),
  );
  const allGone = [...stopping, ...candidates];
  if (!fits(allGone)) {
    const lacks = freePlaces(holders, allGone, capacity) > 0 ? 'memory' : 'places';
    return { kind: 'refuse', lacks };
  }
  const needed = fewestNeeded(inOrderOfLeaving(candidates, demand, capacity), (gone) =>
    fits([...stopping, ...gone]),
  );
  return { kind: 'wait', evict: needed.filter(isIdle).map(({ id }) => id) };
}

/** What a load could have at most, with all gone that may go for it, and what stays for good. */
export function maxAvailable(
  instances: readonly InstanceView[],
  demand: LoadDemand,
  capacity: Capacity,
): { readonly usableBytes: number; readonly kept: readonly InstanceView[] } {
  const holders = instances.filter(({ state }) => state !== 'waiting');
  const stays = (instance: InstanceView): boolean =>
    instance.state !== 'stopping' && !isEvictable(instance, demand);
  const gone = holders.filter((instance) => !stays(instance));
  return {
    usableBytes: Math.max(0, usableBytes(holders, gone, capacity)),
    kept: holders.filter(stays),
  };
}

/** Bytes that one more instance may need once some have gone; below 0 where a load was forced. */
function usableBytes(
  holders: readonly InstanceView[],
  gone: readonly InstanceView[],
  { limitBytes, availableBytes }: Capacity,
): number {
  const sum = (views: readonly InstanceView[], bytesOf: (view: InstanceView) => number): number =>
    views.reduce((bytes, view) => bytes + bytesOf(view), 0);
  const staying = holders.filter((instance) => !gone.includes(instance));
  const ofMachine =
    availableBytes - sum(staying, unseenBytes) + sum(gone, (view) => seenBytes(view));
  return limitBytes === undefined
    ? ofMachine
    : Math.min(ofMachine, limitBytes - sum(staying, ({ estimatedBytes }) => estimatedBytes));
}

/** What an instance needs and the machine shows as available still. */
function unseenBytes({ state, estimatedBytes, mappedBytes }: InstanceView): number {
  return state === 'loading' ? estimatedBytes : mappedBytes;
}

/** What the machine will show as available again when the instance has gone. */
function seenBytes(view: InstanceView): number {
  return view.estimatedBytes - unseenBytes(view);
}

function freePlaces(
  holders: readonly InstanceView[],
  gone: readonly InstanceView[],
  { maxLoaded }: Capacity,
): number {
  return (maxLoaded ?? Number.POSITIVE_INFINITY) - (holders.length - gone.length);
}

/** Idle before busy; of the idle, those that the load replaces anyway; then the least recently used. */
function inOrderOfLeaving(
  candidates: readonly InstanceView[],
  demand: LoadDemand,
  { keepsOnlyLast }: Capacity,
): readonly InstanceView[] {
  const goesAnyway = (instance: InstanceView): boolean =>
    isLeftBehind(instance, demand) || (keepsOnlyLast && isSuperseded(instance, demand));
  const rank = (instance: InstanceView): number => {
    if (!isIdle(instance)) return 2;
    return goesAnyway(instance) ? 0 : 1;
  };
  return candidates.toSorted(
    (one, other) => rank(one) - rank(other) || one.lastUsedAt - other.lastUsedAt,
  );
}

/** The first that suffice together, without those that turn out not to be needed, the last ones spared first. */
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
