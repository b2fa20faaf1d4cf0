import { readAdapterNames, type AdapterChoice } from '../../kernel/adapter-names.ts';
import { HearthError } from '../../kernel/errors/errors.ts';
import { assertInScope, isInScope, type ModelScope } from '../../kernel/model-scope.ts';
import { omitUndefined } from '../../kernel/omit-undefined.ts';
import type { ModelLibrary, ModelSelection } from '../../library/model.ts';
import { fileFingerprint } from '../../platform/files/file-fingerprint.ts';
import type { RequestContext } from '../../kernel/request/request-context.ts';
import type { Instance } from './instance.ts';
import type { InstanceLifecycle, LifecycleOptions } from './instance-lifecycle.ts';
import { placedInstances } from './loaded-instances.ts';
import { ModelChains } from './model-chains.ts';
import type { ModelTarget } from './open-request.ts';
import type { OptionResolver } from './option-resolver.ts';
import {
  isLoadedElsewhere,
  type MachineStanding,
  type Origin,
  placeTarget,
  standingOf,
  withoutOthers,
} from './place-model.ts';
import type { Standing } from './policy/choose-machine.ts';
import { assertPurpose, onlyOneFor, type Purpose } from './purpose.ts';

interface ResolverOptions {
  readonly library: ModelLibrary;
  readonly fingerprint: LifecycleOptions['fingerprint'];
  readonly machineStanding?: MachineStanding;
}

/** The target that a name stands for. */
interface Found {
  readonly target: ModelTarget;
  /** The adapters that the name lists after `+`. */
  readonly choices?: readonly AdapterChoice[];
}

/** Decides which model, on which machine and with which settings, serves a request. */
export class TargetResolver {
  readonly #options: ResolverOptions;
  readonly #lifecycle: InstanceLifecycle;
  readonly #resolver: OptionResolver;
  readonly #chains: ModelChains;

  constructor(options: ResolverOptions, lifecycle: InstanceLifecycle, resolver: OptionResolver) {
    this.#options = options;
    this.#lifecycle = lifecycle;
    this.#resolver = resolver;
    this.#chains = new ModelChains({
      find: async ({ model, selection }, caller) =>
        selection ?? options.library.find(model, caller?.modelScope),
      place: (selection, purpose, caller) => this.#place({ selection }, purpose, caller),
      isReady: async (found) =>
        this.#instancesFor(found).some(({ state }) => state === 'ready') ||
        isLoadedElsewhere(found, options.machineStanding),
      waitSeconds: (found) => {
        const waits = this.#instancesFor(found).map(({ scheduler }) => scheduler.waitSeconds);
        return waits.length === 0 ? 0 : Math.min(...waits);
      },
    });
  }

  /** See `Engines.resolve`. If adapters are chosen, no other model takes over after a failure. */
  async resolve(
    identifier: string,
    purpose: Purpose,
    caller: Origin | undefined,
    choices: readonly AdapterChoice[] | undefined,
  ): Promise<ModelTarget> {
    const instance = this.#lifecycle.registry.get(identifier);
    if (instance !== undefined && choices === undefined) {
      const target = await this.#targetOf(instance, purpose, caller);
      if (target !== undefined) return target;
    }
    const named = await this.#find(identifier, purpose, caller?.modelScope ?? null);
    const all = choices === undefined ? named.choices : [...(named.choices ?? []), ...choices];
    const { target } = named;
    if (all !== undefined) {
      const field = choices === undefined ? 'model' : 'adapters';
      return this.#place(withoutOthers(target), purpose, caller, { all, field });
    }
    const { chain, elsewhere = [], alias, model } = target.selection;
    if (chain !== undefined) return this.#chains.begin(alias ?? '', chain, purpose, caller);
    if (target.instanceId !== undefined || elsewhere.length === 0) {
      return this.#place(target, purpose, caller);
    }
    const entry = { model: model.key, selection: target.selection };
    return this.#chains.begin(model.key, [entry], purpose, caller);
  }

  /** See `Engines.fallBack`. */
  next(target: ModelTarget, error: unknown, context: RequestContext): Promise<ModelTarget> {
    return this.#chains.next(target, error, context);
  }

  /** Rates this machine for one of its own models. */
  async standing(selection: ModelSelection): Promise<Standing> {
    const { load } = await this.#resolver.inForce(selection);
    if (this.#instancesFor(selection).length === 0) await this.#lifecycle.know(selection);
    return standingOf(selection, this.#lifecycle, load);
  }

  /** The target of a request that names an instance; undefined if further look-ups are necessary. */
  async #targetOf(
    instance: Instance,
    purpose: Purpose,
    caller: Origin | undefined,
  ): Promise<ModelTarget | undefined> {
    const { selection } = instance;
    const { model, alias } = selection;
    assertInScope(caller?.modelScope ?? null, model.key);
    const isElsewhere = model.machine !== undefined || caller?.isLinked === true;
    if (isElsewhere || instance.purpose !== purpose) return undefined;
    const { profile, load = {}, ...defaults } = instance.settings.inForce;
    const needsMore = load.draftModel !== undefined || defaults.adapters !== undefined;
    if (needsMore || profile !== alias) return undefined;
    if ((await this.#outdatedOf(selection)).length > 0) return undefined;
    return { ...targetOf(instance), load, defaults };
  }

  /** @throws HearthError `model_not_found`, `corrupt_file`, `missing_required_parameter`, `forbidden`. */
  async #find(identifier: string, purpose: Purpose, scope: ModelScope): Promise<Found> {
    const attempt = (name: string): Promise<ModelTarget | HearthError> =>
      this.#findModel(name, purpose, scope).catch((error: unknown) => {
        if (error instanceof HearthError && error.code === 'model_not_found') return error;
        throw error;
      });
    const whole = await attempt(identifier);
    if (!(whole instanceof HearthError)) return { target: whole };
    for (const { model, choices } of readAdapterNames(identifier)) {
      const target = await attempt(model);
      if (!(target instanceof HearthError)) return { target, choices };
    }
    throw whole;
  }

  async #findModel(identifier: string, purpose: Purpose, scope: ModelScope): Promise<ModelTarget> {
    const { registry } = this.#lifecycle;
    if (identifier === '') {
      const selections = registry.list().map(({ selection }) => selection);
      const allowed = selections.filter(({ model }) => isInScope(scope, model.key));
      return { selection: onlyOneFor(purpose, allowed) };
    }
    const instance = registry.get(identifier);
    if (instance === undefined) {
      return { selection: await this.#options.library.find(identifier, scope) };
    }
    assertInScope(scope, instance.selection.model.key);
    return targetOf(instance);
  }

  async #place(
    found: ModelTarget,
    purpose: Purpose,
    caller: Origin | undefined,
    choices?: { readonly all: readonly AdapterChoice[]; readonly field: 'model' | 'adapters' },
  ): Promise<ModelTarget> {
    const { machineStanding } = this.#options;
    const own = this.#resolver.adaptersOf(found.selection);
    const chosen = choices ?? (own && { all: own, field: 'model' as const });
    const target = await this.#upToDate(
      await placeTarget(chosen ? withoutOthers(found) : found, caller, this, machineStanding),
    );
    assertPurpose(target.selection, purpose);
    const inForce = await this.#resolver.inForce(target.selection);
    const { selection, load } = inForce;
    const adapters =
      chosen && (await this.#resolver.findAdapters(selection, chosen.all, chosen.field));
    const instances = placedInstances(this.#lifecycle.registry.list(), selection);
    // The request loads the model.
    if (instances.length === 0) await this.#lifecycle.know(selection);
    if (instances.length > 0 && adapters === undefined) return { ...target, ...inForce };
    const entries = (adapters ?? []).map(({ adapter }) => adapter);
    const attached = await this.#resolver.attached(selection, entries);
    return {
      ...target,
      ...inForce,
      ...omitUndefined({ adapters }),
      load: { ...load, ...attached },
    };
  }

  /** The model's instances that were loaded before its files were replaced. */
  async #outdatedOf(target: ModelSelection): Promise<readonly Instance[]> {
    const outdated: Instance[] = [];
    let current: string | undefined;
    for (const instance of this.#lifecycle.registry.list()) {
      if (instance.fingerprint === undefined || !isSameVariant(instance.selection, target))
        continue;
      current ??= await this.#options.fingerprint(target);
      if (current !== undefined && instance.fingerprint !== current) outdated.push(instance);
    }
    return outdated;
  }

  /** Takes instances out of service whose files were replaced since their load, and selects the current model. */
  async #upToDate(target: ModelTarget): Promise<ModelTarget> {
    const { model, variant, alias } = target.selection;
    const outdated = await this.#outdatedOf(target.selection);
    if (outdated.length === 0) return target;
    const { library } = this.#options;
    const found = await library.find(`${model.key}@${variant.id}`).catch(() => undefined);
    const selection = found ?? (await library.find(model.key).catch(() => undefined));
    for (const instance of outdated) {
      // Another request may have done this in the meantime.
      if (!instance.isOutdated && !instance.isRetired) this.#lifecycle.renew(instance, selection);
    }
    return selection === undefined
      ? { selection: await library.find(alias ?? model.key) }
      : { ...target, selection: { ...selection, ...omitUndefined({ alias }) } };
  }

  /** The instances of a model on all machines that have it. */
  #instancesFor({ elsewhere = [], ...first }: ModelSelection): readonly Instance[] {
    const instances = this.#lifecycle.registry.list();
    return [first, ...elsewhere].flatMap((each) =>
      placedInstances(
        instances,
        this.#resolver.selectionOf({ ...each, ...omitUndefined({ alias: first.alias }) }),
      ),
    );
  }
}

/**
 * The target that an instance's id stands for. The id of the first instance is also the model's key, so it stands for
 * any instance of the model.
 */
function targetOf({ id, selection }: Instance): ModelTarget {
  const isFirst = id === (selection.alias ?? selection.model.key);
  return isFirst ? { selection } : { selection, instanceId: id };
}

/**
 * The fingerprint of the files that an engine keeps mapped while it runs; undefined if a file can't be read: a mapped
 * file stays usable after its name is gone.
 */
export function modelFingerprint({ model, variant }: ModelSelection): Promise<string | undefined> {
  const { projectorPath } = model;
  return fileFingerprint(
    projectorPath === null ? variant.files : [...variant.files, projectorPath],
  );
}

function isSameVariant(one: ModelSelection, other: ModelSelection): boolean {
  return (
    one.model.key === other.model.key &&
    one.model.machine === other.model.machine &&
    one.variant.id === other.variant.id
  );
}
