import { parseArguments } from '../../chat/tool-call.ts';
import { randomInt } from 'node:crypto';
import type { TurnResult } from '../../chat/turn-event.ts';
import type { AnthropicContentBlock, AnthropicMessage } from './message-schema.ts';
import type { TurnItem } from '../../store/turns/turn-item.ts';
import { toStop } from './stop-reason.ts';
import { signThinking, type ThinkingDisplay } from './thinking.ts';
import { toUsage } from './usage.ts';

export type MessageHead = Pick<AnthropicMessage, 'id' | 'model'>;

/** @param model As the request names it. */
export function messageHead(model: string): MessageHead {
  // 24 of a-z and 0-9.
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

/** The input must be an object; what the model wrote instead is the text of its only field. */
function toInput(argumentsJson: string): Record<string, unknown> {
  // It may be cut by the limit of tokens.
  return parseArguments(argumentsJson) ?? { unparsed: argumentsJson };
}
