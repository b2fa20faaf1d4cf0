import { openAiErrorBodySchema } from '../kit/error-body.ts';
import { errorTable, type ErrorCode } from '../../kernel/errors/errors.ts';
import { omitUndefined } from '../../kernel/omit-undefined.ts';
import { createErrorSerializer } from '../kit/errors/error-serializer.ts';
import { createNameField, type FieldNames } from '../kit/errors/name-field.ts';

/** Names that are not the domain's name in snake case. Of the parts of a message only images are checked. */
const fieldNames: FieldNames = [
  [/^(messages\[\d+\]\.content\[\d+\])$/, '$1.image_url'],
  [/^clientTools(\[\d+\])?\.name$/, 'tools$1.function.name'],
  [/^clientTools/, 'tools'],
  [/^responseFormat\.schema$/, 'response_format.json_schema.schema'],
  [/^maxOutputTokens$/, 'max_completion_tokens'],
  [/^inputs$/, 'input'],
  [/^ttlSeconds$/, 'ttl'],
  [/^isStored$/, 'store'],
  [/^reasoning$/, 'reasoning_effort'],
];

/** `messages[2].content[0]` becomes `messages[2].content[0].image_url`, `toolChoice` becomes `tool_choice`. */
const nameOpenAiField = createNameField(fieldNames);

/** Errors in OpenAI's format with OpenAI's types; the codes are Hearth's. */
export const openAiErrors = createErrorSerializer({
  schema: openAiErrorBodySchema,
  nameField: nameOpenAiField,
  toBody: ({ message, code, param, loading }) => ({
    error: {
      message,
      type: toType(code),
      param: param ?? null,
      code,
      ...omitUndefined({ loading }),
    },
  }),
});

function toType(code: ErrorCode): string {
  const { status } = errorTable[code];
  if (status === 429) return 'rate_limit_error';
  return status < 500 ? 'invalid_request_error' : 'server_error';
}
