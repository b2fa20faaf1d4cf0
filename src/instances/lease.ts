import type { Engine } from '../engine/engine.ts';
import type { ModelSelection } from '../models/model.ts';
import type { InstanceConfig } from './instance.ts';
import type { Purpose } from './purpose.ts';

export interface LoadOptions extends Partial<InstanceConfig> {
  /** Idle time after which it is unloaded; absent: it stays. */
  readonly ttlSeconds?: number;
}

export interface AcquireOptions {
  /** Model key or instance id; empty or absent: the one loaded model of this purpose. */
  readonly identifier: string | undefined;
  readonly purpose: Purpose;
  readonly contextLength?: number;
  /** Idle time of an instance that is loaded for this request. */
  readonly ttlSeconds?: number;
}

/** Told to a request while it gets its instance: `instance.chosen` first, the others only for a load. */
export type AcquireEvent =
  | { readonly type: 'instance.chosen'; readonly instanceId: string }
  | { readonly type: 'load.start' }
  | { readonly type: 'load.progress'; readonly fraction: number }
  | { readonly type: 'load.end'; readonly loadTimeSeconds: number };

/** A slot of an instance, held until it is released. */
export interface Lease {
  readonly instanceId: string;
  readonly selection: ModelSelection;
  readonly engine: Engine;
  /** Aborts when the caller does, or when the instance goes; the reason is the error to answer with. */
  readonly signal: AbortSignal;
  /** Given where the model was not loaded when the request came. */
  readonly loadTimeSeconds: number | undefined;
  release(): void;
}
