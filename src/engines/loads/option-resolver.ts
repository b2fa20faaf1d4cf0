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
  /** Absent: there are none. */
  readonly adapters?: AdapterLibrary;
  readonly modelSettings?: Pick<ModelSettings, 'inForce'>;
  readonly logger: Logger;
}

/** Completes the options of loads: finds what they name, and adds the settings of the model. */
export class OptionResolver {
  readonly #options: OptionResolverOptions;

  constructor(options: OptionResolverOptions) {
    this.#options = options;
  }

  /**
   * The target of a request; with the profile's name only if the profile has instances of its own.
   */
  selectionOf(found: ModelSelection): ModelSelection {
    return this.#settingsOf(found).selection;
  }

  /** The adapters in the settings of what a request names. */
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
   * The options of a load; the settings of the model complete them.
   *
   * @throws HearthError of `findAdapters`, and for a draft model that is unknown or of another vocabulary.
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

  /** @throws HearthError of `findAdapters`. */
  async findAdapters(
    selection: ModelSelection,
    choices: readonly AdapterChoice[],
    field: 'adapters' | 'model',
  ): Promise<readonly AppliedAdapter[]> {
    const { adapters } = this.#options;
    return adapters === undefined ? [] : findAdapters(adapters, selection, choices, field);
  }

  /** The adapters of a load that names some, and those that it may have besides. */
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
    // A linked machine keeps the settings of its loads itself.
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
