import type { TurnEvent } from '../../chat/turn-event.ts';
import type {
  AnthropicContentBlock,
  AnthropicContentDelta,
  AnthropicMessageEvent,
} from './message-schema.ts';
import type { TurnUsage } from '../../store/turns/conversation-turn.ts';
import { toStop, toolUseBlock, toTokens, toUsage, type MessageHead } from './to-message.ts';
import { signThinking, type ThinkingDisplay } from './thinking.ts';

/**
 * Converts turn events to message events. The first one contains the number of prompt tokens, so it is sent once that is
 * known.
 */
export class MessageRecorder {
  readonly #head: MessageHead;
  readonly #display: ThinkingDisplay;
  #hasStarted = false;
  #blockCount = 0;

  constructor(head: MessageHead, display: ThinkingDisplay) {
    this.#head = head;
    this.#display = display;
  }

  /** @throws The error of a `turn.error` event. */
  record(event: TurnEvent): readonly AnthropicMessageEvent[] {
    switch (event.type) {
      case 'prompt.progress':
        return this.#start({ promptTokens: event.totalTokens, cachedTokens: event.cachedTokens });
      case 'message.start':
        return this.#open({ type: 'text', text: '' });
      case 'message.delta':
        return [this.#delta({ type: 'text_delta', text: event.text })];
      case 'message.end':
        return [this.#close()];
      case 'reasoning.start':
        if (this.#display === 'none') return [];
        return this.#open({ type: 'thinking', thinking: '', signature: '' });
      case 'reasoning.delta':
        if (this.#display !== 'whole') return [];
        return [this.#delta({ type: 'thinking_delta', thinking: event.text })];
      case 'reasoning.end': {
        if (this.#display === 'none') return [];
        const signature = signThinking(event.text);
        return [this.#delta({ type: 'signature_delta', signature }), this.#close()];
      }
      case 'toolCall.delta':
        return event.isForClient ? this.#recordCall(event) : [];
      case 'toolCall.end':
        return [this.#close()];
      case 'turn.error':
        throw event.error;
      case 'turn.end': {
        const { result } = event;
        return [
          ...this.#start(result.usage),
          { type: 'message_delta', delta: toStop(result), usage: toTokens(result.usage) },
          { type: 'message_stop' },
        ];
      }
      default:
        return [];
    }
  }

  #start(
    prompt: Pick<TurnUsage, 'promptTokens' | 'cachedTokens'>,
  ): readonly AnthropicMessageEvent[] {
    if (this.#hasStarted) return [];
    this.#hasStarted = true;
    const { promptTokens, cachedTokens } = prompt;
    const usage = { promptTokens, cachedTokens, completionTokens: 0, reasoningTokens: 0 };
    return [
      {
        type: 'message_start',
        message: {
          ...this.#head,
          type: 'message',
          role: 'assistant',
          content: [],
          container: null,
          stop_reason: null,
          stop_sequence: null,
          stop_details: null,
          diagnostics: null,
          usage: toUsage(usage),
        },
      },
      { type: 'ping' },
    ];
  }

  /** Opens a block. Begins the message first if the engine has not reported the length of the prompt. */
  #open(block: AnthropicContentBlock): readonly AnthropicMessageEvent[] {
    const before = this.#start({ promptTokens: 0, cachedTokens: 0 });
    const index = this.#blockCount;
    this.#blockCount += 1;
    return [...before, { type: 'content_block_start', index, content_block: block }];
  }

  #delta(delta: AnthropicContentDelta): AnthropicMessageEvent {
    return { type: 'content_block_delta', index: this.#blockCount - 1, delta };
  }

  #close(): AnthropicMessageEvent {
    return { type: 'content_block_stop', index: this.#blockCount - 1 };
  }

  /** Only the first delta of a call has the call's id and name. */
  #recordCall({
    id,
    name = '',
    argumentsJson,
  }: Extract<TurnEvent, { readonly type: 'toolCall.delta' }>): readonly AnthropicMessageEvent[] {
    const opening = id === undefined ? [] : this.#open(toolUseBlock(id, name, {}));
    if (argumentsJson === '') return opening;
    return [...opening, this.#delta({ type: 'input_json_delta', partial_json: argumentsJson })];
  }
}
