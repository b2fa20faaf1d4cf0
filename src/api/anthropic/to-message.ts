import type { GenerationSummary, TurnResult } from '../../chat/turn-event.ts';
import type {
  AnthropicContentBlock,
  AnthropicMessage,
  AnthropicStopReason,
  AnthropicUsage,
} from './message-schema.ts';
import type { StopReason, TurnUsage } from '../../store/turns/conversation-turn.ts';
import { parseArguments } from '../../chat/tool-call.ts';
import { randomInt } from 'node:crypto';
import type { TurnItem } from '../../store/turns/turn-item.ts';
import { signThinking, type ThinkingDisplay } from './thinking.ts';

const stopReasons: Readonly<Record<StopReason, AnthropicStopReason>> = {
  eosFound: 'end_turn',
  stopStringFound: 'stop_sequence',
  maxPredictedTokensReached: 'max_tokens',
  contextLengthReached: 'model_context_window_exceeded',
  toolCalls: 'tool_use',
};

/** The stop reason of a message, in Anthropic's terms. */
export function toStop({
  stopReason,
  stopString,
}: Pick<GenerationSummary, 'stopReason' | 'stopString'>): Pick<
  AnthropicMessage,
  'container' | 'stop_reason' | 'stop_sequence' | 'stop_details'
> {
  const reason = stopReasons[stopReason ?? 'eosFound'];
  return {
    container: null,
    stop_reason: reason,
    stop_sequence: reason === 'stop_sequence' ? (stopString ?? null) : null,
    stop_details: null,
  };
}

/** Anthropic excludes cached tokens from `input_tokens`. */
export function toUsage(usage: TurnUsage): AnthropicUsage {
  return {
    ...toTokens(usage),
    cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 },
    inference_geo: null,
    service_tier: 'standard',
    speed: 'standard',
  };
}

/** The token counts that the end of a stream reports. */
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

export type MessageHead = Pick<AnthropicMessage, 'id' | 'model'>;

/** @param model Name of the model in the request. */
export function messageHead(model: string): MessageHead {
  const characters = Array.from({ length: 24 }, () => randomInt(36).toString(36));
  return { id: `msg_${characters.join('')}`, model };
}

/** A whole message. */
export function toMessage(
  result: TurnResult,
  head: MessageHead,
  display: ThinkingDisplay,
): AnthropicMessage {
  return {
    ...head,
    type: 'message',
    role: 'assistant',
    content: result.items.flatMap((item) => toBlocks(item, display)),
    ...toStop(result),
    diagnostics: null,
    usage: toUsage(result.usage),
  };
}

function toBlocks(item: TurnItem, display: ThinkingDisplay): readonly AnthropicContentBlock[] {
  switch (item.type) {
    case 'message':
      return [{ type: 'text', text: item.text }];
    case 'reasoning': {
      if (display === 'none') return [];
      const { text } = item;
      const thinking = display === 'omitted' ? '' : text;
      return [{ type: 'thinking', thinking, signature: signThinking(text) }];
    }
    case 'clientToolCall':
      return [toolUseBlock(item.id, item.name, toInput(item.argumentsJson))];
    default:
      return [];
  }
}

export function toolUseBlock(
  id: string,
  name: string,
  input: Record<string, unknown>,
): Extract<AnthropicContentBlock, { readonly type: 'tool_use' }> {
  return { type: 'tool_use', id, name, input, caller: { type: 'direct' } };
}

/** Parses the input of a call, which must be an object. Other text becomes an object with one field. */
function toInput(argumentsJson: string): Record<string, unknown> {
  // The token limit may have cut the JSON.
  return parseArguments(argumentsJson) ?? { unparsed: argumentsJson };
}
