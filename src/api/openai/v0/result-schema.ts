import * as z from 'zod';
import { tokenCountSchema } from '../../../kernel/field.ts';
import * as named from '../../kit/named.ts';

/** Fields that results of v0 have in common. */

const v0UsageSchema = named.object('V0Usage', {
  prompt_tokens: tokenCountSchema,
  completion_tokens: tokenCountSchema,
  total_tokens: tokenCountSchema,
});

const v0StopReasonSchema = z
  .enum([
    'eosFound',
    'stopStringFound',
    'maxPredictedTokensReached',
    'contextLengthReached',
    'toolCalls',
    'userStopped',
    'failed',
  ])
  .meta({ id: 'V0StopReason' });

const v0StatsSchema = named.object('V0Stats', {
  tokens_per_second: z
    .number()
    .describe('Without the time until the first token, unless the answer has only one.'),
  time_to_first_token: z.number().describe('Seconds.'),
  generation_time: z.number().describe('Seconds.'),
  stop_reason: v0StopReasonSchema,
  total_draft_tokens_count: z
    .int()
    .optional()
    .describe('Tokens that speculation proposed. Absent if it proposed none.'),
  accepted_draft_tokens_count: z.int().optional().describe('Those that the model accepted.'),
  rejected_draft_tokens_count: z.int().optional(),
});

const v0ModelInfoSchema = named.object('V0ModelInfo', {
  arch: z.string(),
  quant: z.string(),
  format: z.string(),
  context_length: z.int(),
});

const v0RuntimeSchema = named.object('V0Runtime', {
  name: z.string(),
  version: z.string(),
  supported_formats: z.array(z.string()),
});

export const v0FinishReasonSchema = z
  .enum(['stop', 'length', 'tool_calls'])
  .meta({ id: 'V0FinishReason' });

/** Fields of every complete result and of the last chunk of a stream. */
export const v0ReportFields = {
  usage: v0UsageSchema,
  stats: v0StatsSchema,
  model_info: v0ModelInfoSchema,
  runtime: v0RuntimeSchema,
};

/** The same fields, for all chunks. */
export const v0ChunkReportFields = z.object(v0ReportFields).partial().shape;

export const exampleV0Report = {
  usage: { prompt_tokens: 31, completion_tokens: 14, total_tokens: 45 },
  stats: {
    tokens_per_second: 212.4,
    time_to_first_token: 0.021,
    generation_time: 0.066,
    stop_reason: 'eosFound',
  },
  model_info: { arch: 'llama', quant: 'Q8_0', format: 'gguf', context_length: 4096 },
  runtime: { name: 'llama.cpp-linux-x64-cpu', version: 'b11549', supported_formats: ['gguf'] },
};

export type V0Usage = z.infer<typeof v0UsageSchema>;
export type V0Stats = z.infer<typeof v0StatsSchema>;
export type V0ModelInfo = z.infer<typeof v0ModelInfoSchema>;
export type V0Runtime = z.infer<typeof v0RuntimeSchema>;
export type V0FinishReason = z.infer<typeof v0FinishReasonSchema>;
