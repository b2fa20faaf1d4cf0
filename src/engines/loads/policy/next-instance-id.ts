import type { ModelSelection } from '../../../library/model.ts';

/** Returns `base`, or the first of `base:2`, `base:3`, ... that is not taken. */
export function nextInstanceId(base: string, taken: ReadonlySet<string>): string {
  if (!taken.has(base)) return base;
  let number = 2;
  while (taken.has(`${base}:${number}`)) number += 1;
  return `${base}:${number}`;
}

/**
 * The base of an instance's id: the profile; else the model's key with the linked machine, or with the variant if
 * that is not the default.
 */
export function instanceName({ model, variant, alias }: ModelSelection): string {
  if (alias !== undefined) return alias;
  if (model.machine !== undefined) return `${model.key}@${model.machine}`;
  return variant.id === model.variants[0]?.id ? model.key : `${model.key}@${variant.id}`;
}
