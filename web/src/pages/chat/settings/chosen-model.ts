import { isStarter } from '../../../downloads/is-first-run.ts';
import type { Model } from '../model/model-queries.ts';

/**
 * The model of a chat: the wanted one if it exists, otherwise the first of the list. A starter model is replaced by
 * another model unless the user prefers it.
 *
 * @param models Sorted by `chatModels`.
 */
export function chosenModel(
  models: readonly Pick<Model, 'key' | 'publisher'>[],
  wanted: string | undefined,
  prefersStarter: boolean,
): string | undefined {
  if (models.length === 0) return wanted;
  const found = models.find(({ key }) => key === wanted);
  const isReplaced = found !== undefined && isStarter(found) && !models.every(isStarter);
  if (found === undefined || (isReplaced && !prefersStarter)) return models[0]?.key;
  return found.key;
}
