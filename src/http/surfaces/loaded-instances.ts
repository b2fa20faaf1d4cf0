import type { Instance } from '../../instances/instance.ts';
import type { ModelEntry, ModelSelection } from '../../models/model.ts';

/** The ready instances of a model, whatever their variant. */
export function loadedInstances(
  instances: readonly Instance[],
  model: ModelEntry,
): readonly Instance[] {
  return instances.filter(
    ({ selection, state }) => selection.model.key === model.key && state === 'ready',
  );
}

/** Those that an identifier means: of one variant where it names one (`publisher/name@q4_k_m`). */
export function instancesMeant(
  instances: readonly Instance[],
  { model, variant }: ModelSelection,
  identifier: string,
): readonly Instance[] {
  const loaded = loadedInstances(instances, model);
  return identifier.includes('@')
    ? loaded.filter(({ selection }) => selection.variant.id === variant.id)
    : loaded;
}
