import type { EngineStats } from '../engine.ts';
import type { ModelSelection } from '../../library/model.ts';
import type { Placement } from '../placement/place-model.ts';
import type { InstanceConfig } from './load-options.ts';
import type { KeptLoadOptions } from './settings-record.ts';

/** A snapshot of an instance, as plain data. */
export interface InstanceSummary {
  readonly id: string;
  /** With `alias`, it is an instance of this profile. */
  readonly selection: ModelSelection;
  readonly config: InstanceConfig;
  /** `waiting`: queued for memory. */
  readonly state: 'waiting' | 'loading' | 'ready';
  /** True if it was loaded by name instead of just in time. */
  readonly isExplicit: boolean;
  /** True if `models.pinned` or the settings of its model keep it loaded. */
  readonly isPinned: boolean;
  /** Options whose values in the settings of its model have changed since its load. */
  readonly changedOptions: readonly (keyof KeptLoadOptions)[];
  /** Number of leases: requests that run, wait, or call tools between two generations. */
  readonly requestCount: number;
  /** Number of requests that use a slot. */
  readonly activeRequests: number;
  /** Number of requests that wait for a slot or for the load. */
  readonly queuedRequests: number;
  readonly estimatedBytes: number;
  readonly placement: Placement;
  /** 0 until it is ready. */
  readonly loadTimeSeconds: number;
  readonly loadedAt?: Date;
  /** Idle time until it is unloaded; absent: it stays loaded. */
  readonly ttlSeconds?: number;
  /** Seconds since the last request ended; absent while a request is active. */
  readonly idleSeconds?: number;
}

/** A summary with figures from the engine, which must be queried. */
export interface InstanceDescription extends InstanceSummary {
  /** Empty until the instance is ready, or if the engine reports none. */
  readonly stats: EngineStats;
}
