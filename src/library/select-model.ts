import { HearthError } from '../kernel/errors/errors.ts';
import { describeNames } from '../kernel/format.ts';
import { assertInScope, isInScope, type ModelScope } from '../kernel/model-scope.ts';
import type { AdapterEntry } from './adapter.ts';
import type { ModelFault } from './library-model.ts';
import { findAlias, isSameName, type ModelAlias } from './model-aliases.ts';
import type { ModelEntry, ModelSelection } from './model.ts';

/** The result of a scan. */
export interface LibraryContent {
  /** Sorted by key. */
  readonly models: readonly ModelEntry[];
  /** Sorted by key. */
  readonly adapters: readonly AdapterEntry[];
  /** Unusable files, with the key of their model. */
  readonly faults: readonly (ModelFault & { readonly key: string })[];
}

/** Maximum number of keys in an error message. */
const listedKeys = 20;

interface FoundName {
  readonly key: string;
  /** null if the identifier has none. */
  readonly variantId: string | null;
}

/**
 * Finds the model and variant for an identifier, as `ModelLibrary.find` describes. A model's own name wins over an
 * alias.
 *
 * @throws HearthError `model_not_found`, `corrupt_file` or `forbidden`.
 */
export function selectModel(
  all: LibraryContent,
  identifier: string,
  aliases: readonly ModelAlias[] = [],
  scope: ModelScope = null,
): ModelSelection {
  const content = within(scope, all);
  const own = findIdentifier(content, identifier);
  if (own !== null) return select(content, own.key, own.variantId);
  const alias = findAlias(aliases, identifier.trim());
  if (alias === undefined) return notFound(all, identifier, scope);
  const { name, chain } = alias;
  const entries = chain ?? [alias];
  for (const { model } of entries) {
    const profile =
      chain && aliases.find((each) => isSameName(each.name, model) && each.chain === undefined);
    const found = findIdentifier(content, model) ?? findIdentifier(content, profile?.model ?? '');
    if (found === null) continue;
    const selected = { ...select(content, found.key, found.variantId), alias: name };
    return chain === undefined ? selected : { ...selected, chain };
  }
  for (const { model } of entries) assertNotBeyond(scope, all, model);
  const names = entries.map(({ model }) => quote(model)).join(' or ');
  throw modelNotFound(`There is no model ${names}, which the alias ${quote(name)} names.`);
}

/**
 * Splits an identifier into key and variant.
 *
 * @throws HearthError `model_not_found` or `forbidden`.
 */
export function resolveIdentifier(
  all: LibraryContent,
  identifier: string,
  scope: ModelScope = null,
): FoundName {
  return findIdentifier(within(scope, all), identifier) ?? notFound(all, identifier, scope);
}

/** Keeps the models that a token may use. Adapters stay, since they are only used with a model. */
function within(scope: ModelScope, content: LibraryContent): LibraryContent {
  if (scope === null) return content;
  const { models, adapters, faults } = content;
  const isAllowed = ({ key }: { readonly key: string }) => isInScope(scope, key);
  return { models: models.filter(isAllowed), adapters, faults: faults.filter(isAllowed) };
}

/** @throws HearthError `forbidden` if the identifier names a model that the token may not use. */
function assertNotBeyond(
  scope: ModelScope,
  { models, faults }: LibraryContent,
  identifier: string,
): void {
  if (scope === null) return;
  // Checks each model alone, since an ambiguous name must be refused, too.
  for (const model of models) {
    if (findIdentifier({ models: [model], adapters: [], faults: [] }, identifier))
      assertInScope(scope, model.key);
  }
  for (const fault of faults) {
    if (findIdentifier({ models: [], adapters: [], faults: [fault] }, identifier))
      assertInScope(scope, fault.key);
  }
}

/** Prefers models to adapters. Adapters are found only so that the error can name them. */
function findIdentifier(
  { models, adapters, faults }: LibraryContent,
  identifier: string,
): FoundName | null {
  const wanted = identifier.trim().toLowerCase();
  return findAmong([...models, ...faults], wanted) ?? findAmong(adapters, wanted);
}

function findAmong(entries: readonly { readonly key: string }[], name: string): FoundName | null {
  const whole = findKey(entries, name);
  if (whole !== null) return { key: whole, variantId: null };
  const at = name.lastIndexOf('@');
  const key = at === -1 ? null : findKey(entries, name.slice(0, at));
  return key === null ? null : { key, variantId: name.slice(at + 1) };
}

/** Finds the entry with this key, or the only entry whose key has this second half; null if there is none. */
function findKey(entries: readonly { readonly key: string }[], name: string): string | null {
  const keys = [...new Set(entries.map(({ key }) => key))];
  if (keys.includes(name)) return name;
  const matching = keys.filter((key) => key.slice(key.indexOf('/') + 1) === name);
  if (matching.length > 1)
    throw modelNotFound(`${quote(name)} may mean ${list(matching)}: give the whole key.`);
  return matching[0] ?? null;
}

function select(content: LibraryContent, key: string, variantId: string | null): ModelSelection {
  const model = content.models.find((entry) => entry.key === key);
  const variant =
    variantId === null ? model?.variants[0] : model?.variants.find(({ id }) => id === variantId);
  if (model !== undefined && variant !== undefined) {
    const elsewhere = selectElsewhere(model, variantId);
    return elsewhere.length === 0 ? { model, variant } : { model, variant, elsewhere };
  }
  const named = model?.elsewhere?.find(({ machine }) => machine === variantId) ?? model;
  if (named?.machine === variantId && named?.variants[0] !== undefined) {
    return { model: named, variant: named.variants[0] };
  }
  const fault = content.faults.find(
    (candidate) =>
      candidate.key === key &&
      (model === undefined || candidate.variantId === variantId) &&
      (variantId === null || candidate.variantId === null || candidate.variantId === variantId),
  );
  if (fault !== undefined) throw fault.error;
  if (content.adapters.some((adapter) => adapter.key === key))
    throw modelNotFound(
      `${key} is an adapter, not a model: add it to the name of its model, as in "publisher/model+${key}".`,
    );
  throw modelNotFound(
    `${key} has no variant ${quote(variantId ?? '')}. ${describeNames(model?.variants.map(({ id }) => id) ?? [])}`,
  );
}

/** The model on linked machines that have the selected variant; on all of them if no variant is named. */
function selectElsewhere(
  { elsewhere = [] }: ModelEntry,
  variantId: string | null,
): readonly ModelSelection[] {
  return elsewhere.flatMap((model) => {
    const { variants } = model;
    const variant = variantId === null ? variants[0] : variants.find(({ id }) => id === variantId);
    return variant === undefined ? [] : [{ model, variant }];
  });
}

/**
 * Finds an adapter by its key or the key's second half.
 *
 * @param fitting Keys of the adapters to list in the error.
 * @throws HearthError `adapter_not_found`; the error of a file that can't be used.
 */
export async function selectAdapter(
  content: LibraryContent,
  identifier: string,
  fitting: () => Promise<readonly string[]>,
): Promise<AdapterEntry> {
  const { adapters, faults } = content;
  const key = findKey([...adapters, ...faults], identifier.trim().toLowerCase());
  const adapter = adapters.find((each) => each.key === key);
  if (adapter !== undefined) return adapter;
  const fault = faults.find((each) => each.key === key);
  if (fault !== undefined) throw fault.error;
  const keys = await fitting();
  const available =
    keys.length === 0 ? 'The library has none for this model.' : describeNames(keys);
  throw new HearthError(
    'adapter_not_found',
    `There is no adapter ${quote(identifier)}. ${available}`,
  );
}

function notFound(all: LibraryContent, name: string, scope: ModelScope): never {
  assertNotBeyond(scope, all, name);
  const { models } = within(scope, all);
  const available =
    models.length === 0 ? 'The library is empty.' : describeNames(models.map(({ key }) => key));
  throw modelNotFound(`There is no model ${quote(name)}. ${available}`);
}

function modelNotFound(message: string): HearthError {
  return new HearthError('model_not_found', message, { field: 'model' });
}

function list(names: readonly string[]): string {
  const rest = names.length - listedKeys;
  const shown = names.slice(0, listedKeys).join(', ');
  return rest > 0 ? `${shown} and ${rest} more` : shown;
}

function quote(name: string): string {
  return JSON.stringify(name.slice(0, 200));
}
