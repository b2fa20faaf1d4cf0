import type { ChatRequest, ChatResult, InputItem } from '../../api/v1/chat/chat-schema.ts';
import type { Client } from '../client/client.ts';
import type { Terminal } from '../ui/terminal.ts';
import { createAnswerView } from './answer-view.ts';
import { streamAnswer } from './stream-answer.ts';
import { toInput } from './to-input.ts';

/** Settings of the turns. The system prompt is that of a new conversation. */
export type ChatSettings = Omit<ChatRequest, 'input' | 'previous_response_id'>;

/**
 * A conversation that is stored on the server. A turn that is stopped or fails is not part of it: the next turn
 * continues from the response before.
 */
export interface Conversation {
  readonly settings: ChatSettings;
  /** @throws as `streamAnswer` */
  send(
    text: string,
    display: { readonly hidesThinking: boolean },
    signal: AbortSignal,
  ): Promise<ChatResult>;
  /** Changes settings for the next turns. */
  change(settings: Partial<ChatSettings>): void;
  /** Sends images with the next message. */
  attach(images: readonly InputItem[]): void;
  /** Continues a stored response. */
  continueFrom(responseId: string): void;
  /** Starts over with an empty conversation. */
  restart(): void;
}

/** Creates a conversation with the model that the settings name. */
export function createConversation(
  client: Client,
  terminal: Terminal,
  options: {
    readonly settings: ChatSettings;
    /** Sent with the first message. */
    readonly images: readonly InputItem[];
  },
): Conversation {
  let { settings, images } = options;
  let lastResponseId: string | undefined;
  let hasNewSystemPrompt = false;
  return {
    get settings() {
      return settings;
    },
    async send(text, display, signal) {
      const { system_prompt: systemPrompt, ...others } = settings;
      const turn =
        lastResponseId === undefined
          ? { system_prompt: systemPrompt }
          : {
              previous_response_id: lastResponseId,
              ...(hasNewSystemPrompt ? { system_prompt: systemPrompt } : {}),
            };
      const request = { ...others, ...turn, input: toInput(text, images) };
      const result = await streamAnswer(
        client,
        request,
        createAnswerView(terminal, display),
        signal,
      );
      images = [];
      hasNewSystemPrompt = false;
      lastResponseId = result.response_id;
      return result;
    },
    change(changed) {
      settings = { ...settings, ...changed };
      hasNewSystemPrompt ||= 'system_prompt' in changed;
    },
    attach(more) {
      images = [...images, ...more];
    },
    continueFrom(responseId) {
      lastResponseId = responseId;
    },
    restart() {
      lastResponseId = undefined;
    },
  };
}
