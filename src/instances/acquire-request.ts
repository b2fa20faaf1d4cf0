import type { ModelSelection } from '../models/model.ts';

/** The model that a request names, resolved once. */
export interface ModelTarget {
  readonly selection: ModelSelection;
  /** Set where the request names an instance by its id. */
  readonly instanceId?: string;
}

export interface AcquireRequest {
  readonly target: ModelTarget;
  /** Context that the instance must have; absent: any that is loaded, else the default one. */
  readonly contextLength?: number;
  /** Idle time of the instance from this request on, unless it was loaded by name or is pinned. */
  readonly ttlSeconds?: number;
  /** Beginning of the prompt, to find the instance that has most of it in its cache. */
  readonly promptPrefix?: string;
  /** Whether it waits as long as a load takes, since its client sees the progress. */
  readonly waitsForLoad?: boolean;
}

/**
 * Events of `InstancePool.acquire`. `instance.chosen` comes first, `slot.assigned` once: it may come while the
 * model still loads, but never while the request queues for a slot or the model for memory. The others come only
 * where the request waits for a load.
 */
export type AcquireEvent =
  | { readonly type: 'instance.chosen'; readonly instanceId: string }
  | { readonly type: 'slot.assigned' }
  | { readonly type: 'load.start' }
  | { readonly type: 'load.progress'; readonly fraction: number }
  | { readonly type: 'load.end'; readonly loadTimeSeconds: number };
