import { readAdapterNames, type AdapterChoice } from '../../kernel/adapter-names.ts';
import { HearthError } from '../../kernel/errors/errors.ts';
import { assertInScope, isInScope, type ModelScope } from '../../kernel/model-scope.ts';
import { omitUndefined } from '../../kernel/omit-undefined.ts';
import type { ModelLibrary } from '../../library/model.ts';
import type { Instance } from './instance.ts';
import type { InstanceLifecycle } from './instance-lifecycle.ts';
import type { ModelTarget } from './open-request.ts';
import { placedVariantId } from './policy/instance-view.ts';
import { onlyOneFor, type Purpose } from './purpose.ts';

/** Finds what requests name: models of the library, instances, and adapters after a `+`. */
export class TargetFinder {
  readonly #library: ModelLibrary;
  readonly #lifecycle: InstanceLifecycle;

  constructor(library: ModelLibrary, lifecycle: InstanceLifecycle) {
    this.#library = library;
    this.#lifecycle = lifecycle;
  }

  /**
   * @param identifier As of `Engines.resolve`.
   * @throws HearthError `model_not_found`, `corrupt_file`, `missing_required_parameter`, `forbidden`.
   */
  async find(
    identifier: string,
    purpose: Purpose,
    scope: ModelScope,
  ): Promise<{ readonly target: ModelTarget; readonly choices?: readonly AdapterChoice[] }> {
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
    if (identifier === '') {
      const selections = this.#instances().map(({ selection }) => selection);
      const allowed = selections.filter(({ model }) => isInScope(scope, model.key));
      return { selection: onlyOneFor(purpose, allowed) };
    }
    const instance = this.#lifecycle.registry.get(identifier);
    if (instance === undefined) return { selection: await this.#library.find(identifier, scope) };
    const { id, selection } = instance;
    assertInScope(scope, selection.model.key);
    // The key of a model is the id of its first instance, but selects any of its instances.
    const isFirst = id === (selection.alias ?? selection.model.key);
    return isFirst ? { selection } : { selection, instanceId: id };
  }

  /** Retires the instances whose files were replaced since their load, and selects the model as it is now. */
  async upToDate(target: ModelTarget): Promise<ModelTarget> {
    const { model, variant, alias } = target.selection;
    const loaded = this.#instances().filter(
      ({ selection, fingerprint }) =>
        fingerprint !== undefined &&
        selection.model.key === model.key &&
        placedVariantId(selection) === placedVariantId(target.selection),
    );
    if (loaded.length === 0) return target;
    const library = this.#library;
    const current = await library.fingerprint(target.selection);
    const outdated = loaded.filter(({ fingerprint }) => fingerprint !== current);
    if (current === undefined || outdated.length === 0) return target;
    const found = await library.find(`${model.key}@${variant.id}`).catch(() => undefined);
    const selection = found ?? (await library.find(model.key).catch(() => undefined));
    for (const instance of outdated) {
      // Another request may have noticed in the meantime.
      if (!instance.isOutdated && !instance.isRetired) this.#lifecycle.renew(instance, selection);
    }
    return selection === undefined
      ? { selection: await library.find(alias ?? model.key) }
      : { ...target, selection: { ...selection, ...omitUndefined({ alias }) } };
  }

  #instances(): readonly Instance[] {
    return this.#lifecycle.registry.list();
  }
}
