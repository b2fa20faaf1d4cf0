import type { NameField } from '../../../kernel/errors/errors.ts';
import { toSnakeCase } from './snake-case.ts';

/** Domain fields, and the names of an API for them, with `$1` for a group of the pattern. */
export type FieldNames = readonly (readonly [RegExp, string])[];

/** Names domain fields: by the first pattern that matches, or in snake case. */
export function createNameField(names: FieldNames): NameField {
  return (field) => {
    const name = names.find(([pattern]) => pattern.test(field));
    return name === undefined ? toSnakeCase(field) : field.replace(...name);
  };
}
