import type { OpenAiUsage } from './usage-schema.ts';
import type { TurnUsage } from '../../../store/turns/conversation-turn.ts';

/**
 * The usage of several choices: generated tokens of all of them, and each prompt once.
 *
 * @param perPrompt Number of choices of each prompt, which stand beside each other.
 */
export function toUsage(usages: readonly TurnUsage[], perPrompt = usages.length): OpenAiUsage {
  const prompts = usages.filter((_, index) => index % perPrompt === 0);
  const promptTokens = sum(prompts.map((usage) => usage.promptTokens));
  const completionTokens = sum(usages.map((usage) => usage.completionTokens));
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
    prompt_tokens_details: { cached_tokens: sum(prompts.map((usage) => usage.cachedTokens)) },
    completion_tokens_details: {
      reasoning_tokens: sum(usages.map((usage) => usage.reasoningTokens)),
    },
  };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
