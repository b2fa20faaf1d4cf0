import type { ModelSelection } from '../models/model.ts';
import { assertContext, configure } from './configure.ts';
import type { EngineLoader } from './engine-loader.ts';
import type { InstanceConfig } from './load-options.ts';
import { noMemory, type MemoryEstimate } from './memory/estimate.ts';
import { admit, type Admission, type Capacity } from './policy/admit.ts';
import type { LoadDemand } from './policy/eviction.ts';
import type { InstanceView } from './policy/instance-view.ts';
import { purposeOf } from './purpose.ts';

export interface LoadRequest {
  readonly selection: ModelSelection;
  /** The settings of the request, to be completed with the defaults. */
  readonly requested: Partial<InstanceConfig>;
  /** Whether it is loaded by name instead of just in time. */
  readonly isExplicit: boolean;
  /** Whether it is loaded without a memory check. */
  readonly isForced: boolean;
}

export interface LoadPlan {
  readonly request: LoadRequest;
  readonly config: InstanceConfig;
  readonly estimate: MemoryEstimate;
  readonly demand: LoadDemand;
  readonly admission: Admission;
}

interface Surroundings {
  readonly loader: EngineLoader;
  readonly instances: readonly InstanceView[];
  readonly capacity: Capacity;
  readonly defaults: { readonly contextLength: number; readonly parallel: number };
}

/**
 * Plans the load of a model and decides whether it is admitted. If the request does not set the number of slots,
 * the default is halved until the model fits after unloading all evictable instances.
 *
 * @throws HearthError `invalid_value` for a setting that the model does not support.
 */
export function planLoad(request: LoadRequest, surroundings: Surroundings): LoadPlan {
  const { selection, requested, isExplicit, isForced } = request;
  const { loader, instances, capacity, defaults } = surroundings;
  const estimateOf = (config: InstanceConfig): MemoryEstimate =>
    loader.estimate?.(selection, config) ?? noMemory;
  const demandOf = ({ totalBytes }: MemoryEstimate): LoadDemand => ({
    modelKey: selection.model.key,
    variantId: selection.variant.id,
    purpose: purposeOf(selection),
    isExplicit,
    needsMemory: loader.estimate !== undefined,
    estimatedBytes: totalBytes,
  });
  const admissionOf = (demand: LoadDemand): Admission =>
    isForced ? { kind: 'load' } : admit(instances, demand, capacity);
  assertContext(selection.model, requested.contextLength);
  const config =
    loader.configure?.(selection, requested) ??
    configure(
      selection,
      requested,
      defaults,
      (candidate) => admissionOf(demandOf(estimateOf(candidate))).kind !== 'refuse',
    );
  const estimate = estimateOf(config);
  const demand = demandOf(estimate);
  return { request, config, estimate, demand, admission: admissionOf(demand) };
}
