import type { ModelSelection } from '../models/model.ts';
import { configure } from './configure.ts';
import { admit, type Admission, type Capacity } from './policy/admit.ts';
import type { LoadDemand } from './policy/eviction.ts';
import type { InstanceView } from './policy/instance-view.ts';
import type { InstanceConfig } from './instance.ts';
import type { MemoryEstimate } from './memory/estimate.ts';
import type { MemoryGauge } from './memory-gauge.ts';
import { purposeOf } from './purpose.ts';

export interface LoadRequest {
  readonly selection: ModelSelection;
  /** What was asked for; the defaults fill the rest. */
  readonly asked: Partial<InstanceConfig>;
  /** Whether somebody asks for it by name, rather than a request that needs it. */
  readonly isExplicit: boolean;
  /** Whether it is loaded without a look at the memory. */
  readonly isForced: boolean;
}

export interface LoadPlan {
  readonly config: InstanceConfig;
  readonly estimate: MemoryEstimate;
  readonly demand: LoadDemand;
  readonly admission: Admission;
}

interface Surroundings {
  readonly instances: readonly InstanceView[];
  readonly capacity: Capacity;
  readonly gauge: MemoryGauge;
  readonly defaults: { readonly contextLength: number; readonly parallel: number };
}

/**
 * How a model would be loaded now, and whether it may. Where the number of parallel requests was left open, it
 * is the largest (halved from the default) that fits once all has gone that may go.
 *
 * @throws HearthError `invalid_value` for what the model does not support.
 */
export function planLoad(wish: LoadRequest, surroundings: Surroundings): LoadPlan {
  const { selection, asked, isExplicit, isForced } = wish;
  const { instances, capacity, gauge, defaults } = surroundings;
  const demandOf = ({ totalBytes }: MemoryEstimate): LoadDemand => ({
    modelKey: selection.model.key,
    variantId: selection.variant.id,
    purpose: purposeOf(selection),
    isExplicit,
    estimatedBytes: totalBytes,
  });
  const admissionOf = (demand: LoadDemand): Admission =>
    isForced ? { kind: 'load' } : admit(instances, demand, capacity);
  const config = configure(
    selection,
    asked,
    defaults,
    (candidate) => admissionOf(demandOf(gauge.estimate(selection, candidate))).kind !== 'refuse',
  );
  const estimate = gauge.estimate(selection, config);
  const demand = demandOf(estimate);
  return { config, estimate, demand, admission: admissionOf(demand) };
}
