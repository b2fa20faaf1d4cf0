import { omitUndefined } from '../../kernel/omit-undefined.ts';
import type { ModelScope } from '../../kernel/model-scope.ts';
import type { Logger } from '../../kernel/logger.ts';
import type { ModelLibrary, ModelSelection } from '../../library/model.ts';
import { assertDraft } from './configure.ts';
import type { LoadOptions } from './load-options.ts';
import type { ModelSettings } from './model-settings.ts';
import type { ModelTarget } from './open-request.ts';

interface SettingsSources {
  readonly modelSettings?: Pick<ModelSettings, 'inForce'>;
  readonly library: Pick<ModelLibrary, 'find'>;
  readonly logger: Logger;
}

/**
 * The settings of the model or profile that a request names. The selection keeps the name of a profile only if the
 * profile has instances of its own.
 */
export async function selectWithSettings(
  found: ModelSelection,
  { modelSettings, library, logger }: SettingsSources,
): Promise<Required<Pick<ModelTarget, 'selection' | 'load' | 'defaults'>>> {
  const { model, variant } = found;
  const settings = modelSettings?.inForce(found) ?? {};
  // A linked machine keeps the settings of its loads itself.
  const {
    profile,
    load = {},
    ...defaults
  } = model.machine === undefined ? settings : { ...settings, profile: undefined, load: {} };
  const selection = { model, variant, ...omitUndefined({ alias: profile }) };
  try {
    return { selection, defaults, load: await withDraft(selection, load, library) };
  } catch (err) {
    const { draftModel, ...rest } = load;
    logger.warn(
      { err, model: model.key, draftModel },
      'the draft model of the settings is not used',
    );
    return { selection, defaults, load: rest };
  }
}

/** @throws HearthError `model_not_found` for the draft model, `invalid_value` if it does not suit the model. */
export async function withDraft(
  { model }: ModelSelection,
  { draftModel, ...options }: LoadOptions,
  library: Pick<ModelLibrary, 'find'>,
  scope: ModelScope = null,
): Promise<LoadOptions> {
  if (draftModel === undefined) return options;
  const draft = await library.find(draftModel, scope);
  assertDraft(model, draft.model);
  return { ...options, draft };
}
