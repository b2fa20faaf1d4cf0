import { HearthError } from '../../../../contract/errors.ts';
import { omitUndefined } from '../../../../omit-undefined.ts';
import { toSnakeCase } from '../../../errors/snake-case.ts';

/** Names of a response's request that are not the domain's name in snake case. */
const rules: readonly (readonly [RegExp, string])[] = [
  [/^messages.*$/, 'input'],
  [/^clientTools.*$/, 'tools'],
  [/^integrations.*$/, 'tools'],
  [/^responseFormat\.schema$/, 'text.format.schema'],
  [/^isStored$/, 'store'],
  [/^reasoning$/, 'reasoning.effort'],
];

function nameField(field: string): string {
  const rule = rules.find(([pattern]) => pattern.test(field));
  return rule === undefined ? toSnakeCase(field) : field.replace(...rule);
}

/** The error with the field names of responses, which differ from those of the surface's other endpoints. */
export function withResponseNames(error: unknown): unknown {
  if (!(error instanceof HearthError)) return error;
  const param = error.param ?? (error.field === undefined ? undefined : nameField(error.field));
  const { retryAfterSeconds, loading } = error;
  return new HearthError(error.code, error.describe(nameField), {
    cause: error,
    ...omitUndefined({ param, retryAfterSeconds, loading }),
  });
}
