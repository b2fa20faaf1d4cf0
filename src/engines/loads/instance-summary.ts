import type { EngineStats } from '../engine.ts';
import type { ModelSelection } from '../../library/model.ts';
import type { Placement } from '../placement/place-model.ts';
import type { InstanceConfig } from './load-options.ts';
import type { KeptLoadOptions } from './settings-record.ts';

/** A snapshot of an instance, as plain data. */
export interface InstanceSummary {
  readonly id: string;
  /** `alias` is set for an instance of a profile. */
  readonly selection: ModelSelection;
  readonly config: InstanceConfig;
  /** `waiting`: queued for memory. */
  readonly state: 'waiting' | 'loading' | 'ready';
  /** True if the instance was loaded by name instead of just in time. */
  readonly isExplicit: boolean;
  /** True if the model's settings keep the instance loaded. */
  readonly isPinned: boolean;
  /** Options whose values in the model's settings have changed since the load. */
  readonly changedOptions: readonly (keyof KeptLoadOptions)[];
  /** Number of requests that run, wait, or call tools between two generations. */
  readonly requestCount: number;
  /** Number of requests that use a slot. */
  readonly activeRequests: number;
  /** Number of requests that wait for a slot or for the load. */
  readonly queuedRequests: number;
  readonly estimatedBytes: number;
  readonly placement: Placement;
  /** 0 until the instance is ready. */
  readonly loadTimeSeconds: number;
  readonly loadedAt?: Date;
  /** Idle time until the instance is unloaded; absent: it stays loaded. */
  readonly ttlSeconds?: number;
  /** Seconds since the last request ended; absent while a request is active. */
  readonly idleSeconds?: number;
}

/** A summary with figures that were queried from the engine. */
export interface InstanceDescription extends InstanceSummary {
  /** Empty until the instance is ready, or if the engine reports none. */
  readonly stats: EngineStats;
}
