import type { ModelScope } from '../../kernel/model-scope.ts';
import { omitUndefined } from '../../kernel/omit-undefined.ts';
import type { Logger } from '../../kernel/logger.ts';
import type { AdapterEntry, AdapterLibrary } from '../../library/adapter.ts';
import type { ModelLibrary, ModelSelection } from '../../library/model.ts';
import type { AdapterChoice } from '../../kernel/adapter-names.ts';
import { findAdapters } from './adapters.ts';
import { assertDraft } from './configure.ts';
import type { AppliedAdapter, LoadOptions } from './load-options.ts';
import type { ModelSettings } from './model-settings.ts';
import type { ModelTarget } from './open-request.ts';

export interface OptionResolverOptions {
  readonly library: Pick<ModelLibrary, 'find'>;
  /** Absent if there are no adapters. */
  readonly adapters?: AdapterLibrary;
  readonly modelSettings?: Pick<ModelSettings, 'inForce'>;
  readonly logger: Logger;
}

/** Completes the options of loads: finds the models and adapters that they name, and adds the model's settings. */
export class OptionResolver {
  readonly #options: OptionResolverOptions;

  constructor(options: OptionResolverOptions) {
    this.#options = options;
  }

  /** The model of a request. Keeps the profile's name only if the profile has its own instances. */
  selectionOf(found: ModelSelection): ModelSelection {
    return this.#settingsOf(found).selection;
  }

  /** The adapters in the settings of the model or profile that a request names. */
  adaptersOf(found: ModelSelection): readonly AdapterChoice[] | undefined {
    return this.#settingsOf(found).defaults.adapters;
  }

  /** The settings of the model or profile that a request names. */
  async inForce(
    found: ModelSelection,
  ): Promise<Required<Pick<ModelTarget, 'selection' | 'load' | 'defaults'>>> {
    const { selection, load, defaults } = this.#settingsOf(found);
    try {
      return { selection, defaults, load: await this.#withDraft(selection, load) };
    } catch (err) {
      const { draftModel, ...rest } = load;
      this.#options.logger.warn(
        { err, model: selection.model.key, draftModel },
        'the draft model of the settings is not used',
      );
      return { selection, defaults, load: rest };
    }
  }

  /**
   * Completes the options of a load with the model's settings.
   *
   * @throws HearthError the errors of `findAdapters`; `model_not_found` or `invalid_value` for a draft model that is
   *   unknown or has another vocabulary.
   */
  async complete(
    selection: ModelSelection,
    { adapterChoices, ...options }: LoadOptions,
    settings: LoadOptions,
    scope: ModelScope,
  ): Promise<LoadOptions> {
    const named = await this.#withDraft(selection, options, scope);
    const adapters = await this.findAdapters(selection, adapterChoices ?? [], 'adapters');
    const chosen = adapters.map(({ adapter }) => adapter);
    return {
      ...settings,
      ...named,
      ...(adapters.length > 0 && { adapters }),
      ...(await this.attached(selection, chosen)),
    };
  }

  /** @throws The errors of `findAdapters` in `adapters.ts`. */
  async findAdapters(
    selection: ModelSelection,
    choices: readonly AdapterChoice[],
    field: 'adapters' | 'model',
  ): Promise<readonly AppliedAdapter[]> {
    const { adapters } = this.#options;
    return adapters === undefined ? [] : findAdapters(adapters, selection, choices, field);
  }

  /** Adds the adapters that an instance may have in addition to the named ones. */
  async attached(
    selection: ModelSelection,
    attachedAdapters: readonly AdapterEntry[],
  ): Promise<Pick<LoadOptions, 'attachedAdapters' | 'otherAdapters'>> {
    const otherAdapters = (await this.#options.adapters?.adaptersFor(selection)) ?? [];
    return { attachedAdapters, otherAdapters };
  }

  #settingsOf(found: ModelSelection) {
    const { model, variant } = found;
    const settings = this.#options.modelSettings?.inForce(found) ?? {};
    // A linked machine has its own settings for loads.
    const {
      profile,
      load = {},
      ...defaults
    } = model.machine === undefined ? settings : { ...settings, profile: undefined, load: {} };
    return { selection: { model, variant, ...omitUndefined({ alias: profile }) }, load, defaults };
  }

  async #withDraft(
    { model }: ModelSelection,
    { draftModel, ...options }: LoadOptions,
    scope: ModelScope = null,
  ): Promise<LoadOptions> {
    if (draftModel === undefined) return options;
    const draft = await this.#options.library.find(draftModel, scope);
    assertDraft(model, draft.model);
    return { ...options, draft };
  }
}
