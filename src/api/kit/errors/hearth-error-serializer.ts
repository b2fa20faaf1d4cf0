import { errorBodySchema, type ErrorBody } from '../error-body.ts';
import type { NameField } from '../../../kernel/errors/errors.ts';
import { omitUndefined } from '../../../kernel/omit-undefined.ts';
import { createErrorSerializer, type ErrorSerializer } from './error-serializer.ts';

/** Errors in Hearth's own format; without `param` if no field is at fault. */
export function createHearthErrorSerializer(nameField: NameField): ErrorSerializer<ErrorBody> {
  return createErrorSerializer({
    schema: errorBodySchema,
    nameField,
    toBody: ({ type, message, code, param, loading }) => ({
      error: { type, message, code, ...omitUndefined({ param, loading }) },
    }),
  });
}
