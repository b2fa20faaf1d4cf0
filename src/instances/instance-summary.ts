import type { EngineStats } from '../engine/engine.ts';
import type { ModelSelection } from '../models/model.ts';
import type { InstanceConfig } from './load-options.ts';

/** The state of an instance at one moment, as plain data. */
export interface InstanceSummary {
  readonly id: string;
  readonly selection: ModelSelection;
  readonly config: InstanceConfig;
  /** `waiting`: queued for memory. */
  readonly state: 'waiting' | 'loading' | 'ready';
  /** Whether it was loaded by name, and not by a request that needed it. */
  readonly isExplicit: boolean;
  /** Whether its model is in `models.pinned`. */
  readonly isPinned: boolean;
  /** Leases: requests that run, wait, or call tools between two generations. */
  readonly requestCount: number;
  /** Requests that use a slot. */
  readonly activeRequests: number;
  /** Requests that wait for a slot or for the load. */
  readonly queuedRequests: number;
  readonly estimatedBytes: number;
  /** 0 until it is ready. */
  readonly loadTimeSeconds: number;
  readonly loadedAt?: Date;
  /** Idle time until it is unloaded; absent: it stays loaded. */
  readonly ttlSeconds?: number;
  /** Seconds since the last request ended; absent while one is there. */
  readonly idleSeconds?: number;
}

/** A summary with figures of the engine, which take a moment to read. */
export interface InstanceDescription extends InstanceSummary {
  /** Empty until the instance is ready, and where the engine reports none. */
  readonly stats: EngineStats;
}
