import { z } from '@hono/zod-openapi';
import type { HearthError } from './errors.ts';
import { fractionSchema } from './field.ts';
import { omitUndefined } from '../omit-undefined.ts';

/** Given where a model still loads: how far it is. */
const loadingSchema = z.object({ progress: fractionSchema }).optional();

/** Error body of v1 and of the server's own endpoints. */
export const errorBodySchema = z
  .object({
    error: z.object({
      type: z.string(),
      message: z.string(),
      code: z.string().optional(),
      param: z.string().optional(),
      loading: loadingSchema,
    }),
  })
  .openapi('Error');
type ErrorBody = z.infer<typeof errorBodySchema>;

/** Error body of v0 and of the OpenAI-compatible surface. */
export const openAiErrorBodySchema = z
  .object({
    error: z.object({
      message: z.string(),
      type: z.string(),
      param: z.string().nullable(),
      code: z.string().nullable(),
      loading: loadingSchema,
    }),
  })
  .openapi('OpenAiError');
type OpenAiErrorBody = z.infer<typeof openAiErrorBodySchema>;

/** An error as v1 and the server's own endpoints send it; no `param` where no field is at fault. */
export function toErrorBody(error: HearthError): ErrorBody {
  const { type, message, code, param, loading } = error;
  return { error: { type, message, code, ...omitUndefined({ param, loading }) } };
}

/** An error as v0 sends it; `param` is null where no field is at fault. */
export function toOpenAiErrorBody(error: HearthError): OpenAiErrorBody {
  const { type, message, code, param, loading } = error;
  return { error: { message, type, param: param ?? null, code, ...omitUndefined({ loading }) } };
}
