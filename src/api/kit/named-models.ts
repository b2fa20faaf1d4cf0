import { loadedInstances, selectedInstances } from '../../engines/loads/loaded-instances.ts';
import type { InstanceSummary } from '../../engines/loads/instance-summary.ts';
import type { ModelScope } from '../../kernel/model-scope.ts';
import { omitUndefined } from '../../kernel/omit-undefined.ts';
import { isPattern, type ModelAlias } from '../../library/model-aliases.ts';
import type { ModelEntry, ModelSelection } from '../../library/model.ts';
import type { Caller } from '../../kernel/request/request-context.ts';
import type { ApiServices } from '../services.ts';

/** A model with a name that requests may use. */
export interface NamedModel extends ModelSelection {
  readonly id: string;
}

/** Services to find the models that a caller may use, by name. */
export type NamedModelServices = Pick<ApiServices, 'aliases' | 'modelSettings' | 'pool'> & {
  readonly library: ReturnType<ApiServices['libraryFor']>;
  readonly modelScope: ModelScope;
};

/** Restricts the services to the models that a caller may use. */
export function servicesFor<S extends Pick<ApiServices, 'libraryFor'>>(
  services: S,
  caller: Pick<Caller, 'modelScope'>,
): S & Pick<NamedModelServices, 'library' | 'modelScope'> {
  const { modelScope } = caller;
  return { ...services, library: services.libraryFor(caller), modelScope };
}

/** Lists all models by key, then the profiles. Each has its best variant, or the variant that the profile names. */
export async function listModels({
  library,
  modelSettings,
}: Pick<NamedModelServices, 'library' | 'modelSettings'>): Promise<readonly NamedModel[]> {
  const models = await library.list();
  return [
    ...models.flatMap((model) =>
      model.variants.slice(0, 1).map((variant) => ({ id: model.key, model, variant })),
    ),
    ...modelSettings.profiles().flatMap((profile) => named(profile, models)),
  ];
}

/** Lists these models, then the models that aliases name, except aliases with `*`, which are patterns. */
export async function listNamedModels(
  services: NamedModelServices,
): Promise<readonly NamedModel[]> {
  const listed = await listModels(services);
  const models = listed.map(({ model }) => model);
  const aliases = (await services.aliases.list()).filter((alias) => !isPattern(alias));
  return [...listed, ...aliases.flatMap((alias) => named(alias, models))];
}

/** The model of a name; for a fallback chain, the first one that is present. */
function named(
  { name, model: first, chain = [{ model: first }] }: ModelAlias,
  models: readonly ModelEntry[],
): NamedModel[] {
  for (const { model: identifier } of chain) {
    const [key, variantId] = identifier.toLowerCase().split('@');
    const model = models.find((each) => each.key === key);
    const variant = model?.variants.find(({ id }) => id === (variantId ?? id));
    if (model !== undefined && variant !== undefined) {
      return [{ id: name, model, variant, alias: name }];
    }
  }
  return [];
}

/** The key in an identifier, which may also name a variant. */
export function keyOf(identifier: string): string {
  return identifier.replace(/@[^@/]*$/, '');
}

/**
 * Finds a model by name. The result's id is the key or the name of the profile.
 *
 * @throws The errors of `ModelLibrary.find`.
 */
export async function findModel(
  { library, modelSettings }: Pick<NamedModelServices, 'library' | 'modelSettings'>,
  identifier: string,
): Promise<NamedModel> {
  const selection = await library.find(identifier);
  const { alias, model } = selection;
  const isProfile = alias !== undefined && modelSettings.get(alias)?.base !== undefined;
  return { ...selection, id: isProfile ? alias : model.key };
}

/**
 * Filters instances to the ready ones that serve a model or profile.
 *
 * @param identifier If it names a variant, only instances of the variant match.
 */
export function servingInstances(
  { modelSettings }: Pick<NamedModelServices, 'modelSettings'>,
  instances: readonly InstanceSummary[],
  { model, variant, alias }: ModelSelection,
  identifier?: string,
): readonly InstanceSummary[] {
  const { profile } = modelSettings.inForce({ model, ...omitUndefined({ alias }) });
  const selection = { model, variant, ...omitUndefined({ alias: profile }) };
  return identifier === undefined
    ? loadedInstances(instances, selection)
    : selectedInstances(instances, selection, identifier);
}
