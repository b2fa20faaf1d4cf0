import { assertInScope, isInScope } from '../../kernel/model-scope.ts';
import { HearthError } from '../../kernel/errors/errors.ts';
import {
  copyOllama,
  deleteOllama,
  psOllama,
  showOllama,
  tagsOllama,
  versionOllama,
} from './models-schema.ts';
import type { RequestContext } from '../../kernel/request/request-context.ts';
import { removeModel } from '../../engines/loads/remove-model.ts';
import { findAlias } from '../../library/model-aliases.ts';
import { keyOf, listNamedModels, servicesFor } from '../kit/named-models.ts';
import { chatTemplate } from '../../library/chat-template.ts';
import { omitUndefined } from '../../kernel/omit-undefined.ts';
import { findOllamaModel } from '../../library/ollama/find-model.ts';
import { variantFiles } from '../../library/variant-files.ts';
import { mount, type App } from '../kit/mount.ts';
import type { ApiServices } from '../services.ts';
import { deleteSettings, storeSettings } from '../v1/models/model-settings.ts';
import { toModelfile, toParameters } from './modelfile.ts';
import { toCapabilities, toDetails, toLoadedModel, toModelInfo, toOllamaModel } from './record.ts';

/** The version of Ollama whose API Hearth follows; editors refuse older ones. */
const ollamaVersion = '0.12.11';

export function mountModels(app: App, services: ApiServices): void {
  const { libraryFor, aliases, modelSettings, pool, runtimes } = services;

  /** @throws HearthError `forbidden` if an alias names a model that the caller may not use. */
  const assertOwnAlias = async (name: string, { caller }: RequestContext): Promise<void> => {
    const alias = findAlias(await aliases.list(), name);
    if (alias?.name.toLowerCase() !== name.toLowerCase()) return;
    for (const { model } of alias.chain ?? [alias]) {
      assertInScope(caller.modelScope, keyOf(model));
    }
  };

  mount(app, versionOllama, async () => ({ version: ollamaVersion }));

  mount(app, tagsOllama, async ({ context }) => {
    const named = await listNamedModels(servicesFor(services, context.caller));
    const records = named.flatMap((each) =>
      each.alias === undefined
        ? each.model.variants.map((variant) => toOllamaModel({ model: each.model, variant }))
        : [toOllamaModel(each)],
    );
    return { models: await Promise.all(records) };
  });

  mount(app, psOllama, async ({ context }) => {
    const runtime = await runtimes.resolve('gguf');
    const isOnGpu = runtime !== undefined && !runtime.name.endsWith('-cpu');
    const ready = pool
      .list()
      .filter(({ state }) => state === 'ready')
      .filter(({ selection }) => isInScope(context.caller.modelScope, selection.model.key));
    return { models: await Promise.all(ready.map((one) => toLoadedModel(one, isOnGpu))) };
  });

  mount(app, showOllama, async ({ body, context }) => {
    const { selection } = await findOllamaModel(libraryFor(context.caller), requiredName(body));
    const settings = modelSettings.inForce(selection);
    const { systemPrompt: system = '' } = settings;
    return {
      modelfile: toModelfile(selection, settings),
      parameters: toParameters(settings),
      template: settings.load?.chatTemplate ?? (await chatTemplate(selection, context.signal)),
      ...(system !== '' && { system }),
      ...omitUndefined({
        messages: settings.examples && [...settings.examples],
        license: settings.license,
      }),
      details: { ...toDetails(selection), parent_model: settings.base ?? '' },
      model_info: toModelInfo(selection),
      capabilities: toCapabilities(selection),
      modified_at: (await variantFiles(selection)).modifiedAt.toISOString(),
    };
  });

  mount(app, copyOllama, async ({ body, context }) => {
    const own = servicesFor(services, context.caller);
    const { selection } = await findOllamaModel(own.library, body.source);
    const { model, variant, alias = '' } = selection;
    const profile = modelSettings.get(alias);
    if (profile?.base !== undefined) {
      await storeSettings(own, withoutLatest(body.destination), profile);
      return {};
    }
    const destination = withoutLatest(body.destination);
    if (modelSettings.get(destination.toLowerCase())?.base !== undefined) {
      throw new HearthError('conflict', `"${destination}" is a profile. Delete it first.`);
    }
    const isBest = variant.id === model.variants[0]?.id;
    await assertOwnAlias(destination, context);
    await aliases.set(destination, isBest ? model.key : `${model.key}@${variant.id}`);
    return {};
  });

  mount(app, deleteOllama, async ({ body, context }) => {
    const name = requiredName(body);
    await assertOwnAlias(withoutLatest(name), context);
    if (await aliases.remove(withoutLatest(name))) return {};
    const own = servicesFor(services, context.caller);
    const { identifier, selection } = await findOllamaModel(own.library, name);
    if (selection.alias !== undefined) {
      if (await deleteSettings(own, selection.alias)) return {};
      // The name matches an alias with `*`, so there is no model or profile of this name to delete.
      throw new HearthError('model_not_found', `model ${JSON.stringify(name)} not found`, {
        field: 'model',
      });
    }
    const hasVariant = identifier.includes('@');
    const target = hasVariant
      ? `${selection.model.key}@${selection.variant.id}`
      : selection.model.key;
    const { name: removed, freedBytes } = await removeModel(own, target);
    context.logger.info({ model: removed, freedBytes }, 'model deleted');
    return {};
  });
}

/** @throws HearthError `missing_required_parameter`. */
export function requiredName(body: {
  readonly model?: string | null | undefined;
  readonly name?: string | null | undefined;
}): string {
  const name = [body.model, body.name].find((each) => each != null && each !== '');
  if (name != null) return name;
  throw new HearthError('missing_required_parameter', '"model" is required.', { param: 'model' });
}

export function withoutLatest(name: string): string {
  return name.trim().replace(/:latest$/i, '');
}
