import type { V1Model } from '../../../src/api/v1/models/model-schema.ts';

/** A name in the file that is shorter than this share of the key's name is ignored. */
const minShare = 0.6;

/**
 * The display name of a model: the name in its file header if that resembles the key, otherwise the key without its
 * publisher. Headers often name a training run instead of the model.
 */
export function modelName({ key, display_name: name }: Pick<V1Model, 'key' | 'display_name'>) {
  const own = key.slice(key.indexOf('/') + 1);
  const [inKey, inHeader] = [own, name].map(lettersOf);
  const resembles =
    inKey !== undefined &&
    inHeader !== undefined &&
    inKey.includes(inHeader) &&
    inHeader.length >= minShare * inKey.length;
  return resembles ? name : own;
}

function lettersOf(text: string): string {
  return text.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '');
}
