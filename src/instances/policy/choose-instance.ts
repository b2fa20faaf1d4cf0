import type { InstanceView } from './instance-view.ts';

export interface Demand {
  readonly modelKey: string;
  readonly variantId: string;
  /** Absent: one that was loaded by name, or has the context that it would be loaded with. */
  readonly contextLength?: number;
  readonly defaultContextLength: number;
  /** Beginning of the prompt, to find the instance that has read most of it already. */
  readonly prompt?: string;
}

const stateOrder = { ready: 0, loading: 1, waiting: 2, stopping: 3 } as const;

/**
 * The instance that should serve a demand, or undefined where one must be loaded: one that is ready before one
 * that loads; of those, the one with the fewest requests for its slots; of those, the one that has worked on
 * the longest common beginning of the prompt; of those, the first.
 */
export function chooseInstance(
  instances: readonly InstanceView[],
  demand: Demand,
): InstanceView | undefined {
  const suitable = instances.filter((instance) => suits(instance, demand));
  if (suitable.length < 2) return suitable[0];
  const prompt = demand.prompt ?? '';
  return suitable
    .map((instance) => ({
      instance,
      load: instance.requestCount / instance.parallel,
      prefix: Math.max(
        0,
        ...instance.recentPrompts.map((recent) => commonPrefixLength(recent, prompt)),
      ),
    }))
    .toSorted(
      (one, other) =>
        stateOrder[one.instance.state] - stateOrder[other.instance.state] ||
        one.load - other.load ||
        other.prefix - one.prefix,
    )[0]?.instance;
}

function suits(instance: InstanceView, demand: Demand): boolean {
  if (instance.modelKey !== demand.modelKey || instance.variantId !== demand.variantId)
    return false;
  if (instance.state === 'stopping') return false;
  return demand.contextLength === undefined
    ? instance.isExplicit || instance.contextLength >= demand.defaultContextLength
    : instance.contextLength === demand.contextLength;
}

/** Code units at the beginning that two texts share. */
export function commonPrefixLength(one: string, other: string): number {
  const limit = Math.min(one.length, other.length);
  let length = 0;
  while (length < limit && one.charCodeAt(length) === other.charCodeAt(length)) length += 1;
  return length;
}
