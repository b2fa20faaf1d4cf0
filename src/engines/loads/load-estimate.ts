import type { ModelSelection } from '../../library/model.ts';
import type { InstanceConfig } from './load-options.ts';
import type { Placement } from '../placement/place-model.ts';
import type { MemoryEstimate } from '../memory/estimate.ts';

/** The plan of a load. */
export interface LoadEstimate {
  readonly selection: ModelSelection;
  readonly config: InstanceConfig;
  /** Zeros for a model that uses no memory of this machine. */
  readonly estimate: MemoryEstimate;
  readonly placement: Placement;
  /** Bytes available after unloading all evictable instances. */
  readonly usableBytes: number;
  /** True if a load would be accepted, immediately or after evictions. */
  readonly fits: boolean;
}
