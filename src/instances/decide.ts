/** Pure decisions of the scheduler: they see plain data and change nothing. */

export interface InstanceView {
  readonly id: string;
  readonly modelKey: string;
  readonly variantId: string;
  readonly contextLength: number;
  readonly state: 'loading' | 'ready' | 'unloading';
  /** Requests that run or wait on it. */
  readonly requestCount: number;
}

export interface Demand {
  readonly modelKey: string;
  readonly variantId: string;
  /** Absent: any context will do. */
  readonly contextLength?: number;
}

/** The instance that should serve a demand, or undefined where one must be loaded. */
export function chooseInstance(
  instances: readonly InstanceView[],
  demand: Demand,
): InstanceView | undefined {
  return instances
    .filter(
      (instance) =>
        instance.state !== 'unloading' &&
        instance.modelKey === demand.modelKey &&
        instance.variantId === demand.variantId &&
        (demand.contextLength === undefined || instance.contextLength === demand.contextLength),
    )
    .toSorted(
      (one, other) =>
        Number(one.state === 'loading') - Number(other.state === 'loading') ||
        one.requestCount - other.requestCount,
    )[0];
}

/** `key`, or the first of `key:2`, `key:3`, ... that is free. */
export function nextInstanceId(base: string, taken: ReadonlySet<string>): string {
  if (!taken.has(base)) return base;
  let number = 2;
  while (taken.has(`${base}:${number}`)) number += 1;
  return `${base}:${number}`;
}
