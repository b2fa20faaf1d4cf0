import type { ChatRequest, ChatResult, InputItem } from '../../contract/v1/chat.ts';
import type { Client } from '../client/client.ts';
import type { Terminal } from '../ui/terminal.ts';
import { createAnswerView } from './answer-view.ts';
import { streamAnswer } from './stream-answer.ts';
import { toInput } from './to-input.ts';

/** Settings that are the same for all turns. */
type ChatSettings = Omit<ChatRequest, 'input' | 'previous_response_id' | 'system_prompt'>;

/**
 * A conversation that is stored on the server. A turn that is stopped or fails is not part of it: the next turn
 * continues from the response before.
 */
export interface Conversation {
  /** @throws as `streamAnswer` */
  send(
    text: string,
    display: { readonly hidesThinking: boolean },
    signal: AbortSignal,
  ): Promise<ChatResult>;
  /** Starts over with an empty conversation. */
  restart(): void;
}

/** Creates a conversation with the model that the settings name. */
export function createConversation(
  client: Client,
  terminal: Terminal,
  options: {
    readonly settings: ChatSettings;
    readonly systemPrompt: string | undefined;
    /** Sent with the first message. */
    readonly images: readonly InputItem[];
  },
): Conversation {
  const { settings, systemPrompt } = options;
  let { images } = options;
  let lastResponseId: string | undefined;
  return {
    async send(text, display, signal) {
      const turn =
        lastResponseId === undefined
          ? { system_prompt: systemPrompt }
          : { previous_response_id: lastResponseId };
      const request = { ...settings, ...turn, input: toInput(text, images) };
      const result = await streamAnswer(
        client,
        request,
        createAnswerView(terminal, display),
        signal,
      );
      images = [];
      lastResponseId = result.response_id;
      return result;
    },
    restart() {
      lastResponseId = undefined;
    },
  };
}
