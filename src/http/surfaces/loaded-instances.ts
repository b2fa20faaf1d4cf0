import type { InstanceSummary } from '../../instances/instance-summary.ts';
import type { ModelEntry, ModelSelection } from '../../models/model.ts';

/** The ready instances of a model, whatever their variant. */
export function loadedInstances(
  instances: readonly InstanceSummary[],
  model: ModelEntry,
): readonly InstanceSummary[] {
  return instances.filter(
    ({ selection, state }) => selection.model.key === model.key && state === 'ready',
  );
}

/** Those that an identifier means: of one variant where it names one (`publisher/name@q4_k_m`). */
export function instancesMeant(
  instances: readonly InstanceSummary[],
  { model, variant }: ModelSelection,
  identifier: string,
): readonly InstanceSummary[] {
  const loaded = loadedInstances(instances, model);
  return identifier.includes('@')
    ? loaded.filter(({ selection }) => selection.variant.id === variant.id)
    : loaded;
}
