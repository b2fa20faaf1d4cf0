import { openAiErrorBodySchema } from '../kit/error-body.ts';
import { errorTable, type ErrorCode } from '../../kernel/errors/errors.ts';
import { omitUndefined } from '../../kernel/omit-undefined.ts';
import {
  createErrorSerializer,
  createNameField,
  type NamedError,
  type FieldNames,
} from '../kit/errors/error-serializer.ts';

/**
 * Names that differ from the domain's names in snake case. Of message parts, only images and audio are checked, so
 * other parts are never named.
 */
const fieldNames: FieldNames = [
  [/^(messages\[\d+\]\.content\[\d+\])$/, '$1.image_url'],
  [/^(messages\[\d+\]\.content\[\d+\])\.audio$/, '$1.input_audio.data'],
  [/^clientTools(\[\d+\])?\.name$/, 'tools$1.function.name'],
  [/^clientTools/, 'tools'],
  [/^responseFormat\.schema$/, 'response_format.json_schema.schema'],
  [/^inputs$/, 'input'],
  [/^ttlSeconds$/, 'ttl'],
  [/^reasoning$/, 'reasoning_effort'],
];

/** Errors in OpenAI's format with OpenAI's types and Hearth's codes. */
export const openAiErrors = createErrorSerializer({
  schema: openAiErrorBodySchema,
  nameField: createNameField([
    ...fieldNames,
    [/^maxOutputTokens$/, 'max_completion_tokens'],
    [/^isStored$/, 'store'],
  ]),
  toBody: (error) => toBody(error, toOpenAiType(error.code)),
});

/** `messages[2].content[0]` becomes `messages[2].content[0].image_url`, `toolChoice` becomes `tool_choice`. */
export const nameV0Field = createNameField([...fieldNames, [/^maxOutputTokens$/, 'max_tokens']]);

/** Errors in OpenAI's format with Hearth's types. */
export const v0Errors = createErrorSerializer({
  schema: openAiErrorBodySchema,
  nameField: nameV0Field,
  toBody: (error) => toBody(error, error.type),
});

function toBody({ message, code, param, loading }: NamedError, type: string) {
  return { error: { message, type, param: param ?? null, code, ...omitUndefined({ loading }) } };
}

function toOpenAiType(code: ErrorCode): string {
  const { status } = errorTable[code];
  if (status === 429) return 'rate_limit_error';
  return status < 500 ? 'invalid_request_error' : 'server_error';
}
