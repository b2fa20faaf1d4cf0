import { isPattern, type ModelAliases } from '../../library/model-aliases.ts';
import type { ModelEntry, ModelLibrary } from '../../library/model.ts';

/** A model under a name that requests may use. */
export interface NamedModel {
  readonly id: string;
  readonly model: ModelEntry;
}

/** All models by their keys, then by their aliases; an alias with `*` is not a name. */
export async function listNamedModels({
  library,
  aliases,
}: {
  readonly library: Pick<ModelLibrary, 'list'>;
  readonly aliases: ModelAliases;
}): Promise<readonly NamedModel[]> {
  const models = await library.list();
  const aliased = (await aliases.list()).flatMap((alias) => {
    const model = models.find(({ key }) => key === alias.model.toLowerCase());
    return isPattern(alias) || model === undefined ? [] : [{ id: alias.name, model }];
  });
  return [...models.map((model) => ({ id: model.key, model })), ...aliased];
}
