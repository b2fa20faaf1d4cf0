import { assertReasoning } from '../../../chat/reasoning.ts';
import { findAdapters } from '../../../engines/loads/adapters.ts';
import { HearthError, invalidValue } from '../../../kernel/errors/errors.ts';
import { assertInScope, isInScope } from '../../../kernel/model-scope.ts';
import { omitUndefined } from '../../../kernel/omit-undefined.ts';
import { assertChatTemplate } from '../../../library/chat-template.ts';
import type { ModelSelection } from '../../../library/model.ts';
import type { SettingsRecord } from '../../../engines/loads/settings-record.ts';
import { mount, type App } from '../../kit/mount.ts';
import { findModel, keyOf, type NamedModelServices, servicesFor } from '../../kit/named-models.ts';
import type { ApiServices } from '../../services.ts';
import {
  deleteModelSettings,
  getModelSettings,
  listModelSettings,
  type ModelSettingsResult,
  setModelSettings,
  toLoadSettings,
  toRecord,
} from './model-settings-schema.ts';

/** Maximum number of records of a server. */
const maxRecords = 1000;
/** Maximum characters of a record's system prompt, examples and license together. */
const maxTextLength = 256_000;
const profileName = /^[a-z0-9][\w.:/-]{0,199}$/;

export function mountModelSettings(app: App, services: ApiServices): void {
  const { modelSettings, pool } = services;

  const toWire = (name: string, record: SettingsRecord = {}): ModelSettingsResult => {
    const outdated = pool
      .list()
      .filter(({ selection: { model, alias = model.key } }) => alias === name)
      .flatMap(({ id, changedOptions }) => (changedOptions.length > 0 ? [id] : []));
    return {
      ...toFields(name, record),
      ...(outdated.length > 0 && { outdated_instances: outdated }),
    };
  };

  mount(app, listModelSettings, async ({ context: { caller } }) => ({
    models: modelSettings
      .list()
      .filter(([name, { base = name }]) => isInScope(caller.modelScope, keyOf(base)))
      .map(([name, record]) => toWire(name, record)),
  }));

  mount(app, getModelSettings, async ({ params, context }) => {
    const name = await nameOf(servicesFor(services, context.caller), params.model);
    const record = modelSettings.get(name);
    assertInScope(context.caller.modelScope, keyOf(record?.base ?? name));
    return toWire(name, record);
  });

  mount(app, setModelSettings, async ({ params, body, context }) => {
    const own = servicesFor(services, context.caller);
    const { name, record } = await storeSettings(own, params.model, toRecord(body));
    return toWire(name, record);
  });

  mount(app, deleteModelSettings, async ({ params, context }) => {
    const own = servicesFor(services, context.caller);
    const name = await nameOf(own, params.model);
    const base = modelSettings.get(name)?.base ?? name;
    assertInScope(context.caller.modelScope, keyOf(base));
    return { model: name, deleted: await deleteSettings(own, name) };
  });
}

/**
 * Stores the settings of a model or profile, after checking that a load and a request with them can succeed.
 *
 * @throws HearthError `invalid_value`, `unsupported_reasoning`, `model_not_found`; `conflict` for a profile whose name
 * is taken.
 */
export async function storeSettings(
  services: NamedModelServices,
  identifier: string,
  requested: SettingsRecord,
): Promise<{ readonly name: string; readonly record: SettingsRecord }> {
  const { library, modelScope, modelSettings, pool } = services;
  const { base: requestedBase } = requested;
  const name =
    requestedBase === undefined
      ? await nameOf(services, identifier)
      : await profileNameOf(services, identifier);
  const present = modelSettings.get(name);
  if (requestedBase === undefined && present?.base !== undefined) {
    throw invalidValue('base', `${name} is a profile, which needs a \`base\`.`);
  }
  if (present?.base !== undefined) assertInScope(modelScope, keyOf(present.base));
  const selection = await library.find(requestedBase ?? name);
  const { key } = selection.model;
  if (requestedBase !== undefined && selection.alias !== undefined) {
    throw invalidValue('base', `\`base\` is the key of a model, such as ${key}.`);
  }
  const base = requestedBase === undefined ? undefined : toName(selection, requestedBase);
  if (present?.base !== undefined && present.base !== base) {
    assertUnused(services, name, 'give it another model');
  }
  assertTextLength(requested);
  const { draftModel, chatTemplate, ...load } = requested.load ?? {};
  if (chatTemplate !== undefined) assertChatTemplate(chatTemplate);
  assertReasoning(selection.model, requested.reasoning);
  const draft = draftModel === undefined ? undefined : await library.find(draftModel);
  const adapters =
    requested.adapters && (await findAdapters(library, selection, requested.adapters, 'adapters'));
  const record = {
    ...requested,
    ...omitUndefined({
      base,
      adapters: adapters?.map(({ adapter: { key: adapterKey }, scale }) => ({
        name: adapterKey,
        scale,
      })),
    }),
    load: {
      ...load,
      ...omitUndefined({
        chatTemplate,
        draftModel: draft && toName(draft, draftModel ?? ''),
      }),
    },
  };
  if (present === undefined && modelSettings.list().length >= maxRecords) {
    throw invalidValue(
      'model',
      `There are settings of ${maxRecords} models and profiles, which is the limit.`,
    );
  }
  // Refuses settings that a load would refuse, such as a context that the model does not support.
  await pool.estimate(requestedBase ?? key, record.load);
  await modelSettings.set(name, record);
  return { name, record };
}

/**
 * Deletes the settings of a model, or a profile.
 *
 * @returns False if there were none.
 * @throws HearthError `conflict` for a profile that is loaded as an instance of its own.
 */
export async function deleteSettings(services: NamedModelServices, name: string): Promise<boolean> {
  assertUnused(services, name, 'delete it');
  return services.modelSettings.delete(name);
}

/** The key of a model, or the name of a profile. @throws HearthError `model_not_found`. */
async function nameOf(services: NamedModelServices, identifier: string): Promise<string> {
  try {
    return (await findModel(services, identifier)).id;
  } catch (error) {
    const name = identifier.trim().toLowerCase();
    const isGone = error instanceof HearthError && error.code === 'model_not_found';
    // Settings of a deleted model are kept and can still be changed.
    if (isGone && services.modelSettings.get(name) !== undefined) return name;
    throw error;
  }
}

/** @throws HearthError `invalid_value`, `conflict`. */
async function profileNameOf(services: NamedModelServices, identifier: string): Promise<string> {
  const { aliases, library, modelSettings, pool } = services;
  const name = identifier.trim().toLowerCase();
  if (!profileName.test(name)) {
    throw invalidValue(
      'model',
      'The name of a profile has 1 to 200 letters, digits and any of . _ - : /, and begins with a letter or digit.',
    );
  }
  if (modelSettings.get(name)?.base !== undefined) return name;
  const found = await library.find(name).catch(() => undefined);
  const taken =
    found !== undefined && found.alias === undefined
      ? 'a model'
      : (await aliases.list()).some((alias) => alias.name.toLowerCase() === name)
        ? 'an alias'
        : pool.list().some(({ id }) => id.toLowerCase() === name)
          ? 'an instance'
          : undefined;
  if (taken === undefined) return name;
  throw new HearthError('conflict', `"${name}" is the name of ${taken}. Choose another one.`, {
    param: 'model',
  });
}

/** @throws HearthError `invalid_value`. */
function assertTextLength({ systemPrompt, license, examples = [] }: SettingsRecord): void {
  const texts = [systemPrompt, license, ...examples.map(({ content }) => content)];
  const length = texts.reduce((sum, text = '') => sum + text.length, 0);
  if (length <= maxTextLength) return;
  throw invalidValue(
    'examples',
    `The system prompt, the examples and the license have ${length} characters together; at most ${maxTextLength} are allowed.`,
  );
}

/** @throws HearthError `conflict` for a profile that is loaded as an instance of its own. */
function assertUnused({ pool }: NamedModelServices, name: string, action: string): void {
  const own = pool.list().find(({ selection }) => selection.alias === name);
  if (own === undefined) return;
  throw new HearthError(
    'conflict',
    `The profile ${name} is loaded as ${own.id}. To ${action}, unload it first: hearth unload ${own.id}`,
    { param: 'model' },
  );
}

/** The model's key, with the variant if the identifier names one. */
function toName({ model, variant }: ModelSelection, identifier: string): string {
  return identifier.includes('@') ? `${model.key}@${variant.id}` : model.key;
}

function toFields(name: string, record: SettingsRecord): ModelSettingsResult {
  const { base, load = {}, sampling = {} } = record;
  return {
    model: name,
    ...omitUndefined({ base, pinned: record.isPinned }),
    load: toLoadSettings(load),
    ...omitUndefined({
      system_prompt: record.systemPrompt,
      temperature: sampling.temperature,
      top_p: sampling.topP,
      top_k: sampling.topK,
      min_p: sampling.minP,
      repeat_penalty: sampling.repeatPenalty,
      presence_penalty: sampling.presencePenalty,
      frequency_penalty: sampling.frequencyPenalty,
      repeat_last_n: sampling.repeatLastTokens,
      seed: sampling.seed,
      stop: record.stop && [...record.stop],
      max_output_tokens: record.maxOutputTokens,
      reasoning: record.reasoning,
      examples: record.examples && [...record.examples],
      adapters: record.adapters?.map(({ name: adapter, scale }) => ({ adapter, scale })),
      license: record.license,
    }),
  };
}
