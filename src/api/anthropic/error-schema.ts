import * as z from 'zod';

/** Anthropic's types of errors, as far as this server has them. */
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

/** Error body of the API for clients of Anthropic. */
export const anthropicErrorBodySchema = z
  .object({
    type: z.literal('error'),
    error: z
      .object({
        type: anthropicErrorTypeSchema,
        message: z.string().describe('Names the value that was wrong and what is allowed.'),
        details: z
          .object({
            error_code: z.string().describe('One of the codes of the error reference.'),
            param: z.string().exactOptional().describe('JSON path of the field at fault.'),
          })
          .meta({ id: 'AnthropicErrorDetails' }),
      })
      .meta({ id: 'AnthropicErrorObject' }),
    request_id: z.string().nullable(),
  })
  .meta({ id: 'AnthropicError' });
export type AnthropicErrorBody = z.infer<typeof anthropicErrorBodySchema>;
