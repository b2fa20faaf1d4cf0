import type { Engine } from '../engine/engine.ts';
import type { ModelSelection } from '../models/model.ts';
import type { InstanceConfig } from './instance.ts';
import type { MemoryEstimate } from './memory/estimate.ts';
import type { Purpose } from './purpose.ts';

export interface LoadOptions extends Partial<InstanceConfig> {
  /** Idle time after which it is unloaded; absent: it stays. */
  readonly ttlSeconds?: number;
  /** Loads it without a look at the memory. */
  readonly isForced?: boolean;
  /** Who asks, for taking turns: a token or an address. */
  readonly caller?: string;
}

/** How a model would be loaded now. */
export interface LoadEstimate {
  readonly selection: ModelSelection;
  readonly config: InstanceConfig;
  readonly estimate: MemoryEstimate;
  /** Bytes it could have, with all gone that gives way. */
  readonly usableBytes: number;
  /** Whether a load would be taken, at once or when others have gone. */
  readonly fits: boolean;
}

export interface AcquireOptions {
  /** Model key or instance id; empty or absent: the one loaded model of this purpose. */
  readonly identifier: string | undefined;
  readonly purpose: Purpose;
  readonly contextLength?: number;
  /** Idle time of the instance from this request on, unless it was loaded by name or is pinned. */
  readonly ttlSeconds?: number;
  /** Who asks, for taking turns: a token or an address. */
  readonly caller?: string;
  /** Beginning of the prompt, to find the instance that has read most of it already. */
  readonly prompt?: string;
  /** Whether it waits as long as a load takes, since its client sees the progress. */
  readonly waitsForLoad?: boolean;
}

/** Told to a request while it gets its instance: `instance.chosen` first, the others only for a load. */
export type AcquireEvent =
  | { readonly type: 'instance.chosen'; readonly instanceId: string }
  | { readonly type: 'load.start' }
  | { readonly type: 'load.progress'; readonly fraction: number }
  | { readonly type: 'load.end'; readonly loadTimeSeconds: number };

/** A slot of an instance, and the instance with it: it stays loaded until the lease is released. */
export interface Lease {
  readonly instanceId: string;
  readonly selection: ModelSelection;
  readonly engine: Engine;
  /** Aborts when the caller does, or when the instance goes; the reason is the error to answer with. */
  readonly signal: AbortSignal;
  /** Lets others have the slot for a while; the instance stays. */
  pause(): void;
  /**
   * Takes a slot again, before those that have not begun.
   *
   * @throws the signal's reason.
   */
  resume(caller: string): Promise<void>;
  /** Ends it; a second call does nothing. */
  release(): void;
}
