import { batchTokens } from '../launch/server-arguments.ts';
import { omitUndefined } from '../../kernel/omit-undefined.ts';
import type { AdapterEntry } from '../../library/adapter.ts';
import type { ModelSelection } from '../../library/model.ts';
import { purposeOf } from '../loads/purpose.ts';
import { cacheBytes } from './cache-bytes.ts';
import { graphBytes, outputBytes, projectorComputeBytes } from './compute-bytes.ts';
import type { MemoryDemand } from './cache-cells.ts';
import { processBytes } from './process-bytes.ts';

/** Memory of an instance with all slots full, in bytes. */
export interface MemoryEstimate {
  /** Sum of the other fields. */
  readonly totalBytes: number;
  /** Size of the weights' files, without the projector. */
  readonly weightsBytes: number;
  /** KV cache, and the states of recurrent layers. */
  readonly kvCacheBytes: number;
  /** Compute buffers and logits, including the vision tower's. */
  readonly computeBytes: number;
  readonly projectorBytes: number;
  /** The engine process without a model, plus the vocabulary and the slots. */
  readonly processBytes: number;
}

/** The estimate of an instance that uses no memory of this machine. */
export const noMemory: MemoryEstimate = {
  totalBytes: 0,
  weightsBytes: 0,
  kvCacheBytes: 0,
  computeBytes: 0,
  projectorBytes: 0,
  processBytes: 0,
};

/**
 * Estimates the peak of an instance's resident memory from the model's header, for an engine that computes on the
 * CPU. docs/contributing/scheduler.md lists what the estimate does not include.
 */
export function estimateMemory(selection: ModelSelection, demand: MemoryDemand): MemoryEstimate {
  const { model, variant } = selection;
  const purpose = purposeOf(selection);
  const batch = batchTokens({
    purpose,
    ...demand,
    ...omitUndefined({ projectorPath: model.projectorPath ?? undefined }),
  });
  const projectorBytes = model.projector?.sizeBytes ?? 0;
  const parts = {
    weightsBytes: variant.sizeBytes - projectorBytes,
    kvCacheBytes: wholeBytes(cacheBytes(model, demand, batch)),
    computeBytes: wholeBytes(
      graphBytes(model, purpose, demand, batch) +
        outputBytes(model, purpose === 'generation' ? demand.parallel : batch) +
        projectorComputeBytes(model.projector),
    ),
    projectorBytes,
    processBytes: wholeBytes(processBytes(model, purpose, demand)),
  };
  return { totalBytes: Object.values(parts).reduce((sum, bytes) => sum + bytes, 0), ...parts };
}

/** Adds adapters to the estimate of an instance. The engine copies them into its memory. */
export function withAdapters(
  estimate: MemoryEstimate,
  adapters: readonly Pick<AdapterEntry, 'sizeBytes'>[] = [],
): MemoryEstimate {
  const added = adapters.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  return {
    ...estimate,
    totalBytes: estimate.totalBytes + added,
    weightsBytes: estimate.weightsBytes + added,
  };
}

/** Adds a draft model to the estimate of an instance. */
export function withDraft(estimate: MemoryEstimate, draft: MemoryEstimate): MemoryEstimate {
  const added = draft.totalBytes - draft.processBytes;
  return {
    ...estimate,
    totalBytes: estimate.totalBytes + added,
    weightsBytes: estimate.weightsBytes + draft.weightsBytes,
    kvCacheBytes: estimate.kvCacheBytes + draft.kvCacheBytes,
    computeBytes: estimate.computeBytes + added - draft.weightsBytes - draft.kvCacheBytes,
  };
}

/** Keeps sums of forged headers within safe integers. */
const maxBytes = 2 ** 50;

function wholeBytes(bytes: number): number {
  return Math.min(Math.ceil(bytes), maxBytes);
}
