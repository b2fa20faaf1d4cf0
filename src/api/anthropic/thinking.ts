import { createHash } from 'node:crypto';
import { reasoningOfEffort, type ReasoningEffort } from '../../chat/reasoning.ts';
import type { AnthropicCountTokensRequest } from './message-request-schema.ts';
import type { ReasoningLevel } from '../../engines/engine.ts';
import type { ModelEntry } from '../../library/model.ts';

/** How an answer shows the model's reasoning; `none` if the request has no `thinking`. */
export type ThinkingDisplay = 'whole' | 'omitted' | 'none';

/**
 * Converts `thinking` to a reasoning level. Without `thinking`, the model reasons as little as it can. Models that
 * can't reason ignore it, since agents choose `thinking` by the model's name, which may be an alias.
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

/** Maximum number of reasoning tokens; undefined if there is no limit or the model can't reason. */
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

/** Effort for models that have levels of effort. The budget also limits their tokens. */
function effortOfBudget(tokens: number): ReasoningEffort {
  if (tokens < 4096) return 'low';
  return tokens < 16_384 ? 'medium' : 'high';
}

/**
 * The signature of a thinking block. Clients must send it back with the block, but it is not checked, since prompts
 * never repeat earlier reasoning.
 */
export function signThinking(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}
