import type { AnthropicUsage } from './message-schema.ts';
import type { TurnUsage } from '../../store/turns/conversation-turn.ts';

/** Anthropic counts the prompt tokens from the cache apart from the others. */
export function toUsage(usage: TurnUsage): AnthropicUsage {
  return {
    ...toTokens(usage),
    cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 },
    inference_geo: null,
    service_tier: 'standard',
    speed: 'standard',
  };
}

/** The tokens alone, as the end of a stream has them. */
export function toTokens({
  promptTokens,
  cachedTokens,
  completionTokens,
  reasoningTokens,
}: TurnUsage) {
  return {
    input_tokens: Math.max(0, promptTokens - cachedTokens),
    cache_read_input_tokens: cachedTokens,
    cache_creation_input_tokens: 0,
    output_tokens: completionTokens,
    output_tokens_details: { thinking_tokens: reasoningTokens },
    server_tool_use: null,
  };
}
