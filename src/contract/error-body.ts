import { z } from '@hono/zod-openapi';
import type { HearthError, NameField } from './errors.ts';
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
  const { type, code, loading } = error;
  const message = error.describe(toWireName);
  return { error: { type, message, code, ...omitUndefined({ param: paramOf(error), loading }) } };
}

/** An error as v0 sends it; `param` is null where no field is at fault. */
export function toOpenAiErrorBody(error: HearthError): OpenAiErrorBody {
  const { type, code, loading } = error;
  const message = error.describe(toWireName);
  const param = paramOf(error) ?? null;
  return { error: { message, type, param, code, ...omitUndefined({ loading }) } };
}

/** Domain fields whose name in the API is not the same in snake_case. */
const wireNames: Readonly<Record<string, string>> = {
  expertCount: 'num_experts',
  'responseFormat.schema': 'response_format.json_schema.schema',
};

const toWireName: NameField = (field) =>
  wireNames[field] ?? field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

function paramOf({ param, field }: HearthError): string | undefined {
  return param ?? (field === undefined ? undefined : toWireName(field));
}
