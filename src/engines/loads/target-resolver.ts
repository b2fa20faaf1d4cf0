import type { AdapterChoice } from '../../kernel/adapter-names.ts';
import { omitUndefined } from '../../kernel/omit-undefined.ts';
import type { ModelLibrary, ModelSelection } from '../../library/model.ts';
import type { RequestContext } from '../../telemetry/request-context.ts';
import type { Instance } from './instance.ts';
import type { InstanceLifecycle } from './instance-lifecycle.ts';
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
import { assertPurpose, type Purpose } from './purpose.ts';
import { TargetFinder } from './target-finder.ts';

interface ResolverOptions {
  readonly library: ModelLibrary;
  readonly machineStanding?: MachineStanding;
}

/** Decides which model, on which machine and with which settings, serves a request. */
export class TargetResolver {
  readonly #options: ResolverOptions;
  readonly #lifecycle: InstanceLifecycle;
  readonly #resolver: OptionResolver;
  readonly #finder: TargetFinder;
  readonly #chains: ModelChains;

  constructor(options: ResolverOptions, lifecycle: InstanceLifecycle, resolver: OptionResolver) {
    this.#options = options;
    this.#lifecycle = lifecycle;
    this.#resolver = resolver;
    this.#finder = new TargetFinder(options.library, lifecycle);
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

  /** See `Engines.resolve`. A name with adapters means one model, and no other takes over. */
  async resolve(
    identifier: string,
    purpose: Purpose,
    caller: Origin | undefined,
    choices: readonly AdapterChoice[] | undefined,
  ): Promise<ModelTarget> {
    const named = await this.#finder.find(identifier, purpose, caller?.modelScope ?? null);
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

  /** Abilities of this machine for one of its own models. */
  async standing(selection: ModelSelection): Promise<Standing> {
    const { load } = await this.#resolver.inForce(selection);
    return standingOf(selection, this.#lifecycle, load);
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
    const target = await this.#finder.upToDate(
      await placeTarget(chosen ? withoutOthers(found) : found, caller, this, machineStanding),
    );
    assertPurpose(target.selection, purpose);
    const inForce = await this.#resolver.inForce(target.selection);
    const { selection, load } = inForce;
    const adapters =
      chosen && (await this.#resolver.findAdapters(selection, chosen.all, chosen.field));
    const instances = placedInstances(this.#lifecycle.registry.list(), selection);
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

  /** The instances of a model on its machine, and on the others that have it. */
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
