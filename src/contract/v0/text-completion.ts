import { generationErrors } from '../error-groups.ts';
import { textSchema } from '../field.ts';
import { defineRoute, jsonBody, z } from '../route.ts';
import { v0FinishReasonSchema, v0ReportFields } from './result.ts';
import { v0GenerationFields } from './sampling.ts';

const v0CompletionRequestSchema = z
  .looseObject({
    ...v0GenerationFields,
    prompt: textSchema,
    echo: z.boolean().nullish(),
    suffix: textSchema.nullish(),
    logprobs: z.int().min(0).max(20).nullish(),
  })
  .openapi('V0CompletionRequest');
export type V0CompletionRequest = z.infer<typeof v0CompletionRequestSchema>;

/** OpenAI's older shape: parallel arrays, one entry a token. */
const v0CompletionLogprobsSchema = z
  .object({
    tokens: z.array(z.string()),
    token_logprobs: z.array(z.number()),
    top_logprobs: z.array(z.record(z.string(), z.number())),
    text_offset: z.array(z.int()),
  })
  .nullable();
export type V0CompletionLogprobs = z.infer<typeof v0CompletionLogprobsSchema>;

export const v0CompletionResultSchema = z
  .object({
    id: z.string().regex(/^cmpl-[a-z0-9]{21}$/),
    object: z.literal('text_completion'),
    created: z.int(),
    model: z.string(),
    choices: z.array(
      z.object({
        index: z.int(),
        text: z.string(),
        logprobs: v0CompletionLogprobsSchema,
        finish_reason: v0FinishReasonSchema,
      }),
    ),
    ...v0ReportFields,
  })
  .openapi('V0CompletionResult');
export type V0CompletionResult = z.infer<typeof v0CompletionResultSchema>;

export const v0CompletionChunkSchema = z
  .object({
    id: z.string(),
    object: z.literal('text_completion'),
    created: z.int(),
    model: z.string(),
    choices: z.array(
      z.object({
        index: z.int(),
        text: z.string(),
        logprobs: v0CompletionLogprobsSchema,
        finish_reason: v0FinishReasonSchema.nullable(),
      }),
    ),
    usage: v0ReportFields.usage.optional(),
    stats: v0ReportFields.stats.optional(),
    model_info: v0ReportFields.model_info.optional(),
    runtime: v0ReportFields.runtime.optional(),
  })
  .openapi('V0CompletionChunk');
export type V0CompletionChunk = z.infer<typeof v0CompletionChunkSchema>;

export const createCompletionV0 = defineRoute({
  method: 'post',
  path: '/api/v0/completions',
  operationId: 'createCompletionV0',
  summary: 'Continue a raw prompt',
  tag: 'v0',
  permission: 'chat',
  request: { body: jsonBody(v0CompletionRequestSchema) },
  result: v0CompletionResultSchema,
  events: v0CompletionChunkSchema,
  errors: [...generationErrors, 'infill_unsupported'],
});
