import { HearthError } from '../../kernel/errors/errors.ts';
import { nearest } from '../../kernel/nearest.ts';
import { type AdapterChoice, readAdapterNames } from '../../kernel/adapter-names.ts';
import type { ModelEntry, ModelLibrary, ModelSelection } from '../model.ts';

/** A model of the library, found by a name in Ollama's notation. */
export interface NamedModel {
  readonly selection: ModelSelection;
  /** The model's identifier for `ModelLibrary.find`, with the adapters. */
  readonly identifier: string;
  /** The adapters in the name. */
  readonly choices?: readonly AdapterChoice[];
}

/** `[host/][owner/]base[:tag]`, the notation of Ollama. */
export interface OllamaName {
  /** Lower case, without the hub's host. */
  readonly base: string;
  /** Lower case; `latest` if the name has none. */
  readonly tag: string;
}

const hubHosts = /^(?:https?:\/\/)?(?:hf\.co|huggingface\.co|registry\.ollama\.ai)\//i;

export function parseOllamaName(name: string): OllamaName {
  const rest = name.trim().replace(hubHosts, '').toLowerCase();
  const colon = rest.lastIndexOf(':');
  if (colon <= rest.lastIndexOf('/')) return { base: rest, tag: 'latest' };
  return { base: rest.slice(0, colon), tag: rest.slice(colon + 1) };
}

/**
 * Finds the library's model for a name in Ollama's notation. `base:tag` is a key and a variant (`owner/name:q4_k_m`),
 * or, if there is only one such key, a key that begins with both (`smollm2:135m` is `owner/smollm2-135m-instruct`).
 * `latest` means no tag. Names and aliases of the library win. Adapters may follow (`smollm2:135m+pirate`).
 *
 * @throws HearthError `model_not_found`, with the nearest name; `corrupt_file`.
 */
export async function findOllamaModel(library: ModelLibrary, name: string): Promise<NamedModel> {
  try {
    return await findWholeName(library, name);
  } catch (error) {
    if (!(error instanceof HearthError) || error.code !== 'model_not_found') throw error;
    for (const { model, suffix, choices } of readAdapterNames(name)) {
      const found = await findOrNull(() => findWholeName(library, model));
      if (found !== null) return { ...found, identifier: `${found.identifier}${suffix}`, choices };
    }
    throw error;
  }
}

async function findWholeName(library: ModelLibrary, name: string): Promise<NamedModel> {
  const { base, tag } = parseOllamaName(name);
  // Models on a remote Ollama have keys with tags.
  const direct = [name.trim(), tag === 'latest' ? base : `${base}@${tag}`, `${base}:${tag}`];
  for (const identifier of new Set(direct)) {
    const selection = await findOrNull(() => library.find(identifier));
    if (selection !== null) return { selection, identifier };
  }
  const models = await library.list();
  const identifier = findSimilar(models, { base, tag });
  if (identifier === undefined) throw notFound(name, models);
  return { selection: await library.find(identifier), identifier };
}

/** Returns null if `find` fails with `model_not_found`. */
export async function findOrNull<Found>(find: () => Promise<Found>): Promise<Found | null> {
  try {
    return await find();
  } catch (error) {
    if (error instanceof HearthError && error.code === 'model_not_found') return null;
    throw error;
  }
}

/** The identifier of the only model whose name begins with base and tag; undefined if there is none. */
function findSimilar(models: readonly ModelEntry[], name: OllamaName): string | undefined {
  const wanted = joinName(name);
  const matches = models.flatMap((model) => {
    const names = [model.key, model.key.slice(model.key.indexOf('/') + 1)];
    if (names.includes(wanted)) return [{ identifier: model.key, isExact: true }];
    const variant = model.variants.find(({ id }) =>
      names.some((known) => wanted === `${known}-${id}`),
    );
    if (variant !== undefined) {
      return [{ identifier: `${model.key}@${variant.id}`, isExact: true }];
    }
    const isBeginning = names.some((known) => known.startsWith(`${wanted}-`));
    return isBeginning ? [{ identifier: model.key, isExact: false }] : [];
  });
  const exact = matches.filter(({ isExact }) => isExact);
  const candidates = exact.length > 0 ? exact : matches;
  return candidates.length === 1 ? candidates[0]?.identifier : undefined;
}

/** `GGUF` is dropped: repositories on the hub end with it, keys do not. */
function joinName({ base, tag }: OllamaName): string {
  const withoutFormat = base.replace(/-gguf$/, '');
  return tag === 'latest' ? withoutFormat : `${withoutFormat}-${tag}`;
}

function notFound(name: string, models: readonly ModelEntry[]): HearthError {
  const keys = models.map(({ key }) => key);
  const shortNames = new Map(keys.map((key) => [key.slice(key.indexOf('/') + 1), key]));
  const wanted = joinName(parseOllamaName(name));
  const similar = nearest(wanted, [...keys, ...shortNames.keys()]);
  const suggestion =
    similar === undefined
      ? 'GET /api/tags lists the models'
      : `the nearest is ${JSON.stringify(shortNames.get(similar) ?? similar)}`;
  return new HearthError(
    'model_not_found',
    `model ${JSON.stringify(name.slice(0, 200))} not found, try pulling it first; ${suggestion}`,
    { field: 'model' },
  );
}
