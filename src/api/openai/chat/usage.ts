import type * as z from 'zod';
import { tokenCountSchema } from '../../../kernel/field.ts';
import type { TurnUsage } from '../../../store/turns/conversation-turn.ts';
import * as named from '../../kit/named.ts';

/** Tokens of a completion, over all choices. The shared prompt counts once. */
export const openAiUsageSchema = named.object('OpenAiUsage', {
  prompt_tokens: tokenCountSchema,
  completion_tokens: tokenCountSchema,
  total_tokens: tokenCountSchema,
  prompt_tokens_details: named.object('OpenAiPromptTokensDetails', {
    cached_tokens: tokenCountSchema,
  }),
  completion_tokens_details: named.object('OpenAiCompletionTokensDetails', {
    reasoning_tokens: tokenCountSchema,
  }),
});
export type OpenAiUsage = z.infer<typeof openAiUsageSchema>;

export const exampleUsage = {
  prompt_tokens: 31,
  completion_tokens: 14,
  total_tokens: 45,
  prompt_tokens_details: { cached_tokens: 12 },
  completion_tokens_details: { reasoning_tokens: 0 },
};

/**
 * The usage of several choices: the generated tokens of all choices, and each prompt once.
 *
 * @param perPrompt Number of choices of each prompt; these are next to each other in `usages`.
 */
export function toUsage(usages: readonly TurnUsage[], perPrompt = usages.length): OpenAiUsage {
  let promptTokens = 0;
  let cachedTokens = 0;
  let completionTokens = 0;
  let reasoningTokens = 0;
  for (const [index, usage] of usages.entries()) {
    completionTokens += usage.completionTokens;
    reasoningTokens += usage.reasoningTokens;
    if (index % perPrompt !== 0) continue;
    promptTokens += usage.promptTokens;
    cachedTokens += usage.cachedTokens;
  }
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
    prompt_tokens_details: { cached_tokens: cachedTokens },
    completion_tokens_details: { reasoning_tokens: reasoningTokens },
  };
}
