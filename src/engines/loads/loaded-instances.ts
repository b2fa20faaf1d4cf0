import type { ModelEntry, ModelSelection } from '../../library/model.ts';
import type { InstanceSummary } from './instance-summary.ts';

/** Returns the ready instances of a model, of any variant. */
export function loadedInstances(
  instances: readonly InstanceSummary[],
  model: ModelEntry,
): readonly InstanceSummary[] {
  return instances.filter(
    ({ selection, state }) => selection.model.key === model.key && state === 'ready',
  );
}

/** Returns the ready instances that match an identifier: of one variant if it names one (`publisher/name@q4_k_m`). */
export function selectedInstances(
  instances: readonly InstanceSummary[],
  { model, variant }: ModelSelection,
  identifier: string,
): readonly InstanceSummary[] {
  const loaded = loadedInstances(instances, model);
  return identifier.includes('@')
    ? loaded.filter(({ selection }) => selection.variant.id === variant.id)
    : loaded;
}
