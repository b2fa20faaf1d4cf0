import type { ModelSelection } from '../../models/model.ts';

/** The resolved model of a request. */
export interface ModelTarget {
  readonly selection: ModelSelection;
  /** Set if the request names an instance by its id. */
  readonly instanceId?: string;
}

export interface AcquireRequest {
  readonly target: ModelTarget;
  /** Required context length; absent: the default, or that of an instance loaded by name. */
  readonly contextLength?: number;
  /** New idle time of the instance, unless it was loaded by name or is pinned. */
  readonly ttlSeconds?: number;
  /** Beginning of the prompt, to prefer the instance that has most of it in its cache. */
  readonly promptPrefix?: string;
  /** Whether the request waits for a load without a time limit, since its client sees the progress. */
  readonly waitsForLoad?: boolean;
}

/**
 * Events of `InstancePool.acquire`. `instance.chosen` comes first. `slot.assigned` comes once, possibly while the
 * model still loads, but never while the request waits for a slot or the model for memory. The others come only
 * if the request waits for a load.
 */
export type AcquireEvent =
  | { readonly type: 'instance.chosen'; readonly instanceId: string }
  | { readonly type: 'slot.assigned' }
  | { readonly type: 'load.start' }
  | { readonly type: 'load.progress'; readonly fraction: number }
  | { readonly type: 'load.end'; readonly loadTimeSeconds: number };
