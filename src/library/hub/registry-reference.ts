import { HearthError } from '../../kernel/errors/errors.ts';
import { isReservedName } from '../folder-name.ts';

/** Registries of models with the API of the OCI distribution specification. */
export const registryNames = ['ollama', 'docker'] as const;

export type RegistryName = (typeof registryNames)[number];

/** A model in a registry. Each part is valid as a folder name. */
export interface RegistryReference {
  readonly registry: RegistryName;
  readonly owner: string;
  readonly model: string;
  readonly tag: string;
}

/** Narrower than the specification, which allows deeper names: all parts become folder or file names. */
const namePart = /^(?!.*\.\.)[\dA-Za-z][\w.-]{0,94}(?<![.-])$/;
const tagPattern = /^(?!.*\.\.)\w[\w.-]{0,94}(?<![.-])$/;

/** True if the name of a model begins with a registry: `ollama:` or `docker:`. */
export function isRegistryReference(text: string): boolean {
  return /^\s*(?:ollama|docker):/i.test(text);
}

/**
 * Parses `ollama:[owner/]model[:tag]` or `docker:owner/model[:tag]`.
 *
 * @throws HearthError `invalid_value`.
 */
export function parseRegistryReference(text: string): RegistryReference {
  const [, prefix = '', path = '', tag = 'latest'] =
    /^(\w+):([^:]*)(?::([^:]*))?$/.exec(text.trim()) ?? [];
  const registry = registryNames.find((name) => name === prefix.toLowerCase());
  const parts = path.split('/');
  const [owner = '', model = ''] =
    parts.length === 1 && registry === 'ollama' ? ['library', path] : parts;
  const isValid =
    parts.length <= 2 &&
    [owner, model].every((part) => namePart.test(part) && !isReservedName(part)) &&
    tagPattern.test(tag);
  if (registry !== undefined && isValid) return { registry, owner, model, tag };
  throw new HearthError(
    'invalid_value',
    `${JSON.stringify(text.slice(0, 200))} names no model of a registry: use ollama:model:tag, ollama:owner/model:tag or docker:owner/model:tag.`,
    { field: 'model' },
  );
}
