import { HearthError } from '../../kernel/errors/errors.ts';
import type { HubFile, HubRepository } from './hub.ts';

const weights = /^[^/]+\.safetensors$/i;
/** Configuration, tokenizer, template and licence; no code, no pages, no pictures. */
const companions = /(?:\.(?:json|jinja|model|tiktoken|txt)|^(?:licen[cs]e|notice)(?:\.\w+)?)$/i;
const shard = /-(\d{5})-of-(\d{5})\.safetensors$/i;

/**
 * The files of an MLX model: its weights and the files that describe them, at the top and one folder deep. Null if
 * the repository has none; safetensors are only used if the repository is marked as MLX.
 *
 * @throws HearthError `invalid_value` if parts of the weights are missing.
 */
export function chooseMlxFiles(repository: HubRepository): readonly HubFile[] | null {
  const { files, isMlx, owner, name } = repository;
  const isOne =
    (isMlx || owner.toLowerCase() === 'mlx-community') &&
    files.some(({ path }) => path === 'config.json') &&
    files.some(({ path }) => weights.test(path));
  if (!isOne) return null;
  const chosen = files.filter(
    ({ path }) => weights.test(path) || (companions.test(path) && path.split('/').length <= 2),
  );
  const [, , count] = chosen.map(({ path }) => shard.exec(path)).find(Boolean) ?? [];
  const found = new Set(chosen.map(({ path }) => shard.exec(path)?.[1]).filter(Boolean));
  if (count !== undefined && found.size !== Number(count)) {
    throw new HearthError(
      'invalid_value',
      `${owner}/${name} has ${found.size} of the ${Number(count)} parts of its weights; it can't be run without the rest.`,
      { field: 'model' },
    );
  }
  return chosen;
}
