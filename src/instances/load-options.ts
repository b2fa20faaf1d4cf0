import type { ModelSelection } from '../models/model.ts';
import type { MemoryEstimate } from './memory/estimate.ts';

/** How a model is loaded. */
export interface InstanceConfig {
  /** Most tokens of one request, prompt and answer together. */
  readonly contextLength: number;
  /** Requests that run at once (slots). */
  readonly parallel: number;
  readonly evalBatchSize?: number;
  readonly hasFlashAttention?: boolean;
  readonly offloadsKvCacheToGpu?: boolean;
  readonly expertCount?: number;
}

export interface LoadOptions extends Partial<InstanceConfig> {
  /** Idle time after which the instance is unloaded; absent: it stays loaded. */
  readonly ttlSeconds?: number;
  /** Whether the model is loaded without a memory check. */
  readonly isForced?: boolean;
}

/** How a model would be loaded now. */
export interface LoadEstimate {
  readonly selection: ModelSelection;
  readonly config: InstanceConfig;
  /** Zeros for a model that takes no memory of this machine. */
  readonly estimate: MemoryEstimate;
  /** Bytes that are available once all evictable instances are unloaded. */
  readonly usableBytes: number;
  /** Whether a load would be accepted, at once or after evictions. */
  readonly fits: boolean;
}
