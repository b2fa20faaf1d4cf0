import * as z from 'zod';
import { type ErrorCode, errorTable } from '../../kernel/errors/errors.ts';
import { omitUndefined } from '../../kernel/omit-undefined.ts';
import {
  createErrorSerializer,
  createNameField,
  type NamedError,
  type FieldNames,
} from '../kit/errors/error-serializer.ts';
import * as named from '../kit/named.ts';

/** Anthropic's error types that this server uses. */
export const anthropicErrorTypeSchema = z
  .enum([
    'invalid_request_error',
    'authentication_error',
    'permission_error',
    'not_found_error',
    'request_too_large',
    'rate_limit_error',
    'api_error',
    'overloaded_error',
  ])
  .meta({ id: 'AnthropicErrorType' });
export type AnthropicErrorType = z.infer<typeof anthropicErrorTypeSchema>;

/** Error body for clients of Anthropic. */
export const anthropicErrorBodySchema = named.object('AnthropicError', {
  type: z.literal('error'),
  error: named.object('AnthropicErrorObject', {
    type: anthropicErrorTypeSchema,
    message: z.string().describe('Names the value that was wrong and what is allowed.'),
    details: named.object('AnthropicErrorDetails', {
      error_code: z.string().describe('One of the codes of the error reference.'),
      param: z.string().exactOptional().describe('JSON path of the field at fault.'),
    }),
  }),
  request_id: z.string().nullable(),
});
export type AnthropicErrorBody = z.infer<typeof anthropicErrorBodySchema>;

/** Names that differ from the domain's names in snake case. */
const fieldNames: FieldNames = [
  [/^clientTools/, 'tools'],
  [/^responseFormat\.schema$/, 'output_config.format.schema'],
  [/^maxOutputTokens$/, 'max_tokens'],
  [/^stop$/, 'stop_sequences'],
  [/^reasoning$/, 'thinking'],
];

/** `clientTools[1].name` becomes `tools[1].name`, `toolChoice` becomes `tool_choice`. */
export const nameAnthropicField = createNameField(fieldNames);

/** Errors in Anthropic's format with Anthropic's types and statuses; `error_code` is Hearth's code. */
export const anthropicErrors = createErrorSerializer({
  schema: anthropicErrorBodySchema,
  nameField: nameAnthropicField,
  toStatus,
  // Both official clients obey this header; without it they would retry every 5xx.
  toHeaders: (code) => ({ 'X-Should-Retry': String(errorTable[code].retryable) }),
  toBody: (error) => ({
    type: 'error' as const,
    error: {
      type: toType(error.code),
      message: toText(error),
      details: { error_code: toErrorCode(error), ...omitUndefined({ param: error.param }) },
    },
    request_id: error.requestId ?? null,
  }),
});

/** With this code, the official clients send the whole conversation again, without `thread`. */
function toErrorCode({ code, param }: NamedError): string {
  return param === 'thread' ? 'thread_unsupported_request' : code;
}

/** Anthropic's status for an overloaded server. */
const overloaded = 529;
const overloadCodes = new Set<ErrorCode>([
  'model_loading',
  'out_of_memory',
  'shutting_down',
  'store_unavailable',
]);

function toStatus(code: ErrorCode): number {
  const { status } = errorTable[code];
  if (overloadCodes.has(code)) return overloaded;
  return status >= 500 ? 500 : status;
}

const types: Readonly<Record<number, AnthropicErrorType>> = {
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  500: 'api_error',
  [overloaded]: 'overloaded_error',
};

function toType(code: ErrorCode): AnthropicErrorType {
  return types[toStatus(code)] ?? 'invalid_request_error';
}

/** The format has no field for the parameter, so the message names it. */
function toText({ message, param, promptSize }: NamedError): string {
  if (promptSize !== undefined) {
    // Clients recognize by this text that they must shorten the prompt.
    const { tokens, isLowerBound, maxTokens } = promptSize;
    return `prompt is too long: ${isLowerBound ? 'at least ' : ''}${tokens} tokens > ${maxTokens} maximum`;
  }
  return param === undefined || message.includes(param) ? message : `${param}: ${message}`;
}
