import { createHash } from 'node:crypto';
import { reasoningOfEffort, type ReasoningEffort } from '../../chat/reasoning.ts';
import type { AnthropicCountTokensRequest } from './message-request-schema.ts';
import type { ReasoningLevel } from '../../engines/engine.ts';
import type { ModelEntry } from '../../library/model.ts';

/** How an answer shows the model's reasoning; a request without `thinking` does not get it. */
export type ThinkingDisplay = 'whole' | 'omitted' | 'none';

/**
 * The reasoning setting of a model for the `thinking` of a request. Without it the model reasons as little as it can. A
 * model that does not reason ignores `thinking`: agents choose it by the name of the model, which may be an alias.
 */
export function toReasoning(
  model: ModelEntry,
  { thinking, output_config: output }: AnthropicCountTokensRequest,
): ReasoningLevel | undefined {
  const { reasoning } = model;
  if (reasoning === null) return undefined;
  if (thinking == null || thinking.type === 'disabled') {
    const levels: readonly ReasoningLevel[] = ['off', 'low'];
    return levels.find((level) => reasoning.allowedOptions.includes(level));
  }
  const effort = output?.effort === 'max' ? 'xhigh' : output?.effort;
  if (thinking.type === 'adaptive') return reasoningOfEffort(model, effort ?? 'medium');
  return reasoningOfEffort(model, effort ?? effortOfBudget(thinking.budget_tokens));
}

/** Tokens after which reasoning ends; undefined without a limit, and for a model that does not reason. */
export function toMaxReasoningTokens(
  { reasoning }: ModelEntry,
  { thinking }: AnthropicCountTokensRequest,
): number | undefined {
  return reasoning !== null && thinking?.type === 'enabled' ? thinking.budget_tokens : undefined;
}

export function toDisplay({
  thinking,
}: Pick<AnthropicCountTokensRequest, 'thinking'>): ThinkingDisplay {
  if (thinking == null || thinking.type === 'disabled') return 'none';
  return thinking.display === 'omitted' ? 'omitted' : 'whole';
}

/** For models with levels; the budget itself is a limit besides. */
function effortOfBudget(tokens: number): ReasoningEffort {
  if (tokens < 4096) return 'low';
  return tokens < 16_384 ? 'medium' : 'high';
}

/**
 * The signature of a block of thinking. Clients must send it back with the block; nothing depends on it here, since
 * prompts do not repeat earlier reasoning.
 */
export function signThinking(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}
