import { HearthError } from '../../kernel/errors/errors.ts';
import { omitUndefined } from '../../kernel/omit-undefined.ts';
import type { ModelSelection } from '../../library/model.ts';
import type { Caller } from '../../kernel/request/request-context.ts';
import type { InstanceLifecycle } from './instance-lifecycle.ts';
import type { LoadOptions } from './load-options.ts';
import type { ModelTarget } from './open-request.ts';
import { chooseMachine, type Standing } from './policy/choose-machine.ts';
import { placedVariantId } from './policy/choose-instance.ts';

/** Rates a linked machine for one of its models; undefined if the machine can't be reached. */
export type MachineStanding = (machine: string, modelId: string) => Promise<Standing | undefined>;

/** Facts about a caller that decide where a model runs. */
export type Origin = Partial<Pick<Caller, 'isLinked' | 'modelScope'>>;

/**
 * Chooses the machine for a model that linked machines have, too.
 *
 * @param caller A linked machine gets only models of this machine.
 * @throws HearthError `model_not_found` if a linked machine requests a model that is not on this machine.
 */
export async function placeTarget(
  target: ModelTarget,
  caller: Origin | undefined,
  here: { standing(selection: ModelSelection): Promise<Standing> },
  machineStanding: MachineStanding | undefined,
): Promise<ModelTarget> {
  const { selection, instanceId } = target;
  const { elsewhere = [], ...first } = selection;
  const { alias } = first;
  if (caller?.isLinked === true) {
    assertLocal(selection);
    return withoutOthers(target);
  }
  if (instanceId !== undefined || elsewhere.length === 0) return target;
  const machines = [first, ...elsewhere];
  const standings = machines.map(async (each) => {
    const { machine, key } = each.model;
    return machine === undefined ? here.standing(each) : machineStanding?.(machine, key);
  });
  const chosen = chooseMachine(await Promise.all(standings));
  return { ...target, selection: { ...(machines[chosen] ?? first), ...omitUndefined({ alias }) } };
}

/** Leaves out the same model on other machines. */
export function withoutOthers({ selection, ...target }: ModelTarget): ModelTarget {
  const { elsewhere: _, ...here } = selection;
  return { ...target, selection: here };
}

/** True if any linked machine that has the model has loaded it. */
export async function isLoadedElsewhere(
  { elsewhere = [], ...first }: ModelSelection,
  machineStanding: MachineStanding | undefined,
): Promise<boolean> {
  const standings = [first, ...elsewhere].map(async ({ model: { machine, key } }) =>
    machine === undefined ? undefined : machineStanding?.(machine, key),
  );
  return (await Promise.all(standings)).includes('loaded');
}

/** Rates this machine for a model. */
export function standingOf(
  selection: ModelSelection,
  lifecycle: InstanceLifecycle,
  options: LoadOptions = {},
): Standing {
  const { key } = selection.model;
  const variantId = placedVariantId(selection);
  const isLoaded = lifecycle.registry
    .views()
    .some(
      (each) => each.modelKey === key && each.variantId === variantId && each.state !== 'stopping',
    );
  if (isLoaded) return 'loaded';
  try {
    const { fits, placement } = lifecycle.estimate(selection, options);
    if (!fits) return 'none';
    return placement.gpus.length > 0 ? 'gpu' : 'memory';
  } catch {
    // No engine of this machine can load the model.
    return 'none';
  }
}

function assertLocal({ model }: ModelSelection): void {
  if (model.format !== 'remote') return;
  const message = `${model.key} is not a model of this machine.`;
  throw new HearthError('model_not_found', message, { field: 'model' });
}
