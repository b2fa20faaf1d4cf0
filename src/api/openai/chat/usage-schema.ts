import * as z from 'zod';
import { tokenCountSchema } from '../../../kernel/field.ts';

/** Tokens of a completion, over all of its choices; a prompt that choices share counts once. */
export const openAiUsageSchema = z
  .object({
    prompt_tokens: tokenCountSchema,
    completion_tokens: tokenCountSchema,
    total_tokens: tokenCountSchema,
    prompt_tokens_details: z
      .object({ cached_tokens: tokenCountSchema })
      .meta({ id: 'OpenAiPromptTokensDetails' }),
    completion_tokens_details: z
      .object({ reasoning_tokens: tokenCountSchema })
      .meta({ id: 'OpenAiCompletionTokensDetails' }),
  })
  .meta({ id: 'OpenAiUsage' });
export type OpenAiUsage = z.infer<typeof openAiUsageSchema>;

export const exampleUsage = {
  prompt_tokens: 31,
  completion_tokens: 14,
  total_tokens: 45,
  prompt_tokens_details: { cached_tokens: 12 },
  completion_tokens_details: { reasoning_tokens: 0 },
};
