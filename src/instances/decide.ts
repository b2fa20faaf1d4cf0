/** Pure decisions of the scheduler: they see plain data and change nothing. */

export interface InstanceView {
  readonly id: string;
  readonly modelKey: string;
  readonly variantId: string;
  readonly contextLength: number;
  readonly state: 'loading' | 'ready';
  /** Whether somebody loaded it by name, rather than a request that needed it. */
  readonly isExplicit: boolean;
  /** Requests that run or wait on it. */
  readonly requestCount: number;
}

export interface Demand {
  readonly modelKey: string;
  readonly variantId: string;
  /** Absent: one that was loaded by name, or has the context that it would be loaded with. */
  readonly contextLength?: number;
  readonly defaultContextLength: number;
}

function hasContext(instance: InstanceView, demand: Demand): boolean {
  return demand.contextLength === undefined
    ? instance.isExplicit || instance.contextLength >= demand.defaultContextLength
    : instance.contextLength === demand.contextLength;
}

/** The instance that should serve a demand, or undefined where one must be loaded. */
export function chooseInstance(
  instances: readonly InstanceView[],
  demand: Demand,
): InstanceView | undefined {
  return instances
    .filter(
      (instance) =>
        instance.modelKey === demand.modelKey &&
        instance.variantId === demand.variantId &&
        hasContext(instance, demand),
    )
    .toSorted(
      (one, other) =>
        Number(one.state === 'loading') - Number(other.state === 'loading') ||
        one.requestCount - other.requestCount,
    )[0];
}

/**
 * Idle instances that requests for other contexts left behind: they go when the same model is loaded again, so
 * that a caller who asks for ever new contexts holds no more of them than it uses.
 */
export function leftBehind(
  instances: readonly InstanceView[],
  demand: Demand,
): readonly InstanceView[] {
  return instances.filter(
    ({ modelKey, variantId, state, isExplicit, requestCount }) =>
      modelKey === demand.modelKey &&
      variantId === demand.variantId &&
      state === 'ready' &&
      !isExplicit &&
      requestCount === 0,
  );
}

/** `key`, or the first of `key:2`, `key:3`, ... that is free. */
export function nextInstanceId(base: string, taken: ReadonlySet<string>): string {
  if (!taken.has(base)) return base;
  let number = 2;
  while (taken.has(`${base}:${number}`)) number += 1;
  return `${base}:${number}`;
}
