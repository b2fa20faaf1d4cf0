import { openAiErrorBodySchema, type OpenAiErrorBody } from '../error-body.ts';
import type { NameField } from '../../../kernel/errors/errors.ts';
import { omitUndefined } from '../../../kernel/omit-undefined.ts';
import { createErrorSerializer, type ErrorSerializer } from './error-serializer.ts';

/** Errors in OpenAI's format; `param` is null if no field is at fault. */
export function createOpenAiErrorSerializer(
  nameField: NameField,
): ErrorSerializer<OpenAiErrorBody> {
  return createErrorSerializer({
    schema: openAiErrorBodySchema,
    nameField,
    toBody: ({ type, message, code, param, loading }) => ({
      error: { message, type, param: param ?? null, code, ...omitUndefined({ loading }) },
    }),
  });
}
