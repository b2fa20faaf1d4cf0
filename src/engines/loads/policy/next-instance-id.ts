import type { ModelSelection } from '../../../library/model.ts';

/** `key`, or the first of `key:2`, `key:3`, ... that is not taken. */
export function nextInstanceId(base: string, taken: ReadonlySet<string>): string {
  if (!taken.has(base)) return base;
  let number = 2;
  while (taken.has(`${base}:${number}`)) number += 1;
  return `${base}:${number}`;
}

/** The profile, or the key of the model with the linked machine or with the variant if it is not the default one. */
export function instanceName({ model, variant, alias }: ModelSelection): string {
  if (alias !== undefined) return alias;
  if (model.machine !== undefined) return `${model.key}@${model.machine}`;
  return variant.id === model.variants[0]?.id ? model.key : `${model.key}@${variant.id}`;
}
