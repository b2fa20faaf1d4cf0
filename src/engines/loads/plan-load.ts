import type { ModelSelection } from '../../models/model.ts';
import { assertContext, configure } from './configure.ts';
import type { EngineLoader } from './engine-loader.ts';
import type { InstanceConfig, LoadDefaults } from './load-options.ts';
import { noMemory, type MemoryEstimate } from '../memory/estimate.ts';
import { omitUndefined } from '../../omit-undefined.ts';
import { admit, maxAvailable, type Admission, type Capacity } from './policy/admit.ts';
import type { LoadDemand } from './policy/eviction.ts';
import type { InstanceView } from './policy/instance-view.ts';
import type { Placement } from './policy/place-on-gpu.ts';
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
  readonly placement: Placement;
  readonly demand: LoadDemand;
  readonly admission: Admission;
}

interface Surroundings {
  readonly loader: EngineLoader;
  readonly instances: readonly InstanceView[];
  readonly capacity: Capacity;
  readonly defaults: LoadDefaults;
}

/**
 * Plans the load of a model and decides whether it is admitted. If the request does not set the number of slots,
 * the default is halved until the model fits after unloading all evictable instances.
 *
 * @throws HearthError `invalid_value` for a setting that the model does not support, `unsupported_format`.
 */
export function planLoad(request: LoadRequest, surroundings: Surroundings): LoadPlan {
  const { selection, requested, isExplicit, isForced } = request;
  const { loader, instances, capacity, defaults } = surroundings;
  loader.assertLoadable?.(selection, requested);
  const estimateOf = (config: InstanceConfig): MemoryEstimate =>
    loader.estimate?.(selection, config) ?? noMemory;
  const subject = {
    modelKey: selection.model.key,
    variantId: selection.variant.id,
    purpose: purposeOf(selection),
    isExplicit,
    needsMemory: loader.estimate !== undefined,
  };
  const nothing = { ...subject, estimatedBytes: 0 };
  const { usableGpuBytes } = maxAvailable(instances, nothing, capacity);
  const placementOf = (config: InstanceConfig): Placement => {
    const estimate = estimateOf(config);
    return (
      loader.place?.(selection, config, estimate, usableGpuBytes) ?? {
        gpuLayers: config.gpuLayers,
        gpuBytes: 0,
        hostBytes: estimate.totalBytes,
      }
    );
  };
  const demandOf = ({ hostBytes, gpuBytes }: Placement): LoadDemand => ({
    ...subject,
    estimatedBytes: hostBytes,
    gpuBytes,
  });
  const admissionOf = (demand: LoadDemand): Admission =>
    isForced ? { kind: 'load' } : admit(instances, demand, capacity);
  assertContext(selection.model, requested.contextLength);
  const configured =
    loader.configure?.(selection, requested) ??
    configure(
      selection,
      requested,
      defaults,
      (candidate) => admissionOf(demandOf(placementOf(candidate))).kind !== 'refuse',
    );
  const placement = placementOf(configured);
  const config = { ...configured, ...omitUndefined({ gpuLayers: placement.gpuLayers }) };
  const estimate = estimateOf(config);
  const demand = demandOf(placement);
  return { request, config, estimate, placement, demand, admission: admissionOf(demand) };
}
