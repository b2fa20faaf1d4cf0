import type { ModelSelection } from '../../library/model.ts';
import type { InstanceSummary } from './instance-summary.ts';
import { placedVariantId } from './policy/choose-instance.ts';

interface WithSelection {
  readonly selection: ModelSelection;
}

/** Returns the instances of a model (or of a profile that has its own instances), of any variant and in any state. */
export function instancesOf<Instance extends WithSelection>(
  instances: readonly Instance[],
  { model, alias }: Pick<ModelSelection, 'model' | 'alias'>,
): readonly Instance[] {
  return instances.filter(
    ({ selection }) => selection.model.key === model.key && selection.alias === alias,
  );
}

/** Returns the instances that requests for a selection use: of its variant, on its machine, in any state. */
export function placedInstances<Instance extends WithSelection>(
  instances: readonly Instance[],
  selection: ModelSelection,
): readonly Instance[] {
  const variantId = placedVariantId(selection);
  return instancesOf(instances, selection).filter(
    (each) => placedVariantId(each.selection) === variantId,
  );
}

/** Returns the ready instances of a model (or of a profile that has its own instances), of any variant. */
export function loadedInstances(
  instances: readonly InstanceSummary[],
  selection: Pick<ModelSelection, 'model' | 'alias'>,
): readonly InstanceSummary[] {
  return instancesOf(instances, selection).filter(({ state }) => state === 'ready');
}

/** Returns the ready instances that match an identifier, which may name a variant (`publisher/name@q4_k_m`). */
export function selectedInstances(
  instances: readonly InstanceSummary[],
  selection: ModelSelection,
  identifier: string,
): readonly InstanceSummary[] {
  const loaded = loadedInstances(instances, selection);
  return identifier.includes('@')
    ? loaded.filter((each) => each.selection.variant.id === selection.variant.id)
    : loaded;
}
