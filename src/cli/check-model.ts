import { searchCatalog, type CatalogModelRecord } from '../api/v1/models/catalog-schema.ts';
import { getModel, listModels } from '../api/v1/models/model-schema.ts';
import { formatBytes } from '../kernel/format.ts';
import { nearest } from '../kernel/nearest.ts';
import { ApiError } from './client/client-error.ts';
import type { Client } from './client/client.ts';
import { CommandError } from './failure.ts';

/**
 * Checks that a model exists and can chat. Does nothing if the token may not read models.
 *
 * @throws CommandError, which suggests the nearest model; ServerUnreachableError; the signal's reason.
 */
export async function checkChatModel(
  client: Client,
  model: string,
  signal: AbortSignal,
): Promise<void> {
  // Names such as `model+adapter` are not checked; the chat reports their problems.
  if (model.includes('+')) return;
  try {
    const { type, key } = await client.call(getModel, { params: { model } }, signal);
    if (type !== 'llm') {
      const kind = type === 'embedding' ? 'an embedding model' : 'a reranker';
      throw new CommandError(`${key} is ${kind}. It cannot chat.`);
    }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    await suggestModel(client, model, error, signal);
  }
}

/** A handler of failed requests, which throws a CommandError with a suggestion if the model does not exist. */
export function suggestingModel(client: Client, model: string, signal: AbortSignal) {
  return async (error: unknown): Promise<never> => {
    await suggestModel(client, model, error, signal);
    throw error;
  };
}

/** @throws CommandError for the error `model_not_found`; does nothing for other errors. */
async function suggestModel(
  client: Client,
  model: string,
  error: unknown,
  signal: AbortSignal,
): Promise<void> {
  if (!(error instanceof ApiError) || error.code !== 'model_not_found') return;
  const entry = await findCatalogModel(client, model, signal);
  if (entry !== undefined) {
    throw new CommandError(
      `${entry.id} is not downloaded (${describeDownload(entry)}). Download it with \`hearth get ${entry.id}\`.`,
      { cause: error },
    );
  }
  const keys = await client
    .call(listModels, {}, signal)
    .then(({ models }) => models.map(({ key }) => key))
    .catch((): string[] => []);
  const meant = nearestModel(model, keys);
  const advice =
    meant === undefined
      ? 'List the models with `hearth ls`, or download one with `hearth get`.'
      : `Did you mean ${meant}?`;
  throw new CommandError(`Model "${model}" not found. ${advice}`, { cause: error });
}

/** The model of the catalog with this id; undefined if there is none or the token may not read models. */
export async function findCatalogModel(
  client: Client,
  id: string,
  signal: AbortSignal,
): Promise<CatalogModelRecord | undefined> {
  if (id.includes('/')) return undefined;
  try {
    const { models } = await client.call(searchCatalog, { query: { limit: 100 } }, signal);
    return models.find((each) => each.id === id.toLowerCase());
  } catch (error) {
    if (error instanceof ApiError) return undefined;
    throw error;
  }
}

/** `390 MB, license apache-2.0` */
export function describeDownload(model: CatalogModelRecord): string {
  const { size_bytes: size } = model;
  return [
    ...(size === undefined ? [] : [formatBytes(size)]),
    `license ${describeLicense(model)}`,
  ].join(', ');
}

/** `apache-2.0`, or `gemma, which has conditions: read it before you use the model` */
export function describeLicense({
  license,
  license_has_conditions: hasConditions,
}: {
  readonly license?: string | undefined;
  readonly license_has_conditions?: boolean | undefined;
}): string {
  if (license === undefined) return 'unknown';
  return hasConditions === true
    ? `${license}, which has conditions: read it before you use the model`
    : license;
}

/** The key that is nearest to the user's input or contains it, compared with or without its publisher. */
export function nearestModel(typed: string, keys: readonly string[]): string | undefined {
  const wanted = typed.toLowerCase().replace(/[@:].*$/, '');
  const nameOf = (key: string) => key.slice(key.indexOf('/') + 1);
  const close = nearest(wanted, keys) ?? nearest(wanted, keys.map(nameOf));
  if (close !== undefined) return keys.find((key) => key === close || nameOf(key) === close);
  const name = nameOf(wanted);
  const matching = keys.filter((key) => key.includes(name));
  return matching.length === 1 ? matching[0] : undefined;
}
