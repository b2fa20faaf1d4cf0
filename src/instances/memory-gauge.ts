import type { ModelSelection } from '../models/model.ts';
import type { InstanceConfig } from './instance.ts';
import { availableMemoryBytes } from './memory/available-bytes.ts';
import { estimateMemory, type MemoryEstimate } from './memory/estimate.ts';

/** What instances need and what the machine has. */
export interface MemoryGauge {
  estimate(selection: ModelSelection, config: InstanceConfig): MemoryEstimate;
  /** Bytes that a new process may use now. */
  availableBytes(): number;
}

/** The gauge of this machine. */
export function createMemoryGauge(kvCacheTypes: {
  readonly k: string;
  readonly v: string;
}): MemoryGauge {
  return {
    availableBytes: availableMemoryBytes,
    estimate: (selection, config) => estimateMemory(selection, { ...config, kvCacheTypes }),
  };
}
