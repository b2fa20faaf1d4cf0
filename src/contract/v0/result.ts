import { z } from '@hono/zod-openapi';
import { tokenCountSchema } from '../field.ts';

/** What every v0 result carries besides its choices. */

const v0UsageSchema = z
  .object({
    prompt_tokens: tokenCountSchema,
    completion_tokens: tokenCountSchema,
    total_tokens: tokenCountSchema,
  })
  .openapi('V0Usage');

const v0StopReasonSchema = z.enum([
  'eosFound',
  'stopStringFound',
  'maxPredictedTokensReached',
  'contextLengthReached',
  'toolCalls',
  'userStopped',
  'failed',
]);

const v0StatsSchema = z
  .object({
    tokens_per_second: z.number(),
    time_to_first_token: z.number().describe('Seconds.'),
    generation_time: z.number().describe('Seconds.'),
    stop_reason: v0StopReasonSchema,
  })
  .openapi('V0Stats');

const v0ModelInfoSchema = z
  .object({
    arch: z.string(),
    quant: z.string(),
    format: z.string(),
    context_length: z.int(),
  })
  .openapi('V0ModelInfo');

const v0RuntimeSchema = z
  .object({
    name: z.string(),
    version: z.string(),
    supported_formats: z.array(z.string()),
  })
  .openapi('V0Runtime');

export const v0FinishReasonSchema = z.enum(['stop', 'length', 'tool_calls']);

/** Last chunk of a stream and every whole result carry these. */
export const v0ReportFields = {
  usage: v0UsageSchema,
  stats: v0StatsSchema,
  model_info: v0ModelInfoSchema,
  runtime: v0RuntimeSchema,
};

export type V0Usage = z.infer<typeof v0UsageSchema>;
export type V0Stats = z.infer<typeof v0StatsSchema>;
export type V0ModelInfo = z.infer<typeof v0ModelInfoSchema>;
export type V0Runtime = z.infer<typeof v0RuntimeSchema>;
export type V0FinishReason = z.infer<typeof v0FinishReasonSchema>;
