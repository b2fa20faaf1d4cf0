import { HearthError, type NameField } from '../../../kernel/errors/errors.ts';
import { omitUndefined } from '../../../kernel/omit-undefined.ts';
import { createNameField, type FieldNames } from '../../kit/errors/error-serializer.ts';

/** Names of request fields of responses that differ from the domain's names in snake case. */
const responseNames: FieldNames = [
  [/^(?:messages|approvals).*$/, 'input'],
  [/^clientTools.*$/, 'tools'],
  [/^integrations.*$/, 'tools'],
  [/^responseFormat\.schema$/, 'text.format.schema'],
  [/^isStored$/, 'store'],
  [/^reasoning$/, 'reasoning.effort'],
];

/** Names of request fields when items are added to a conversation. */
const itemNames: FieldNames = [
  [/^(?:messages|approvals).*$/, 'items'],
  [/^previousResponseId$/, 'response'],
];

/** Returns the error with the field names of responses, which other endpoints of the API do not share. */
export function withResponseNames(error: unknown): unknown {
  return withNames(error, createNameField(responseNames), 'input');
}

/** Returns the error with the field names of conversation items. */
export function withItemNames(error: unknown): unknown {
  return withNames(error, createNameField(itemNames), 'items');
}

/** @param input Field name of the list of items. */
function withNames(error: unknown, nameField: NameField, input: 'input' | 'items'): unknown {
  if (!(error instanceof HearthError)) return error;
  const { field } = error;
  const named = field === undefined ? undefined : nameField(field);
  const param = error.param?.replace(/^input(?=\[)/, input) ?? named;
  const { retryAfterSeconds, loading } = error;
  return new HearthError(error.code, error.describe(nameField), {
    cause: error,
    ...omitUndefined({ param, retryAfterSeconds, loading }),
  });
}
