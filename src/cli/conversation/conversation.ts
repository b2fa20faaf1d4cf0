import type { ChatRequest, ChatResult, InputItem } from '../../contract/v1/chat.ts';
import type { Client } from '../client/client.ts';
import type { Terminal } from '../ui/terminal.ts';
import { createAnswerView } from './answer-view.ts';
import { streamAnswer } from './stream-answer.ts';
import { toInput } from './to-input.ts';

/** What stays the same from turn to turn. */
type ChatSettings = Omit<ChatRequest, 'input' | 'previous_response_id' | 'system_prompt'>;

/**
 * A conversation that the server keeps. A turn that is stopped or fails leaves no trace: the next one
 * goes on from the response before it.
 */
export interface Conversation {
  /** @throws as `streamAnswer` */
  say(text: string, signal: AbortSignal): Promise<ChatResult>;
  /** Forgets all that was said. */
  restart(): void;
}

/** Begins a conversation with the model that the settings name. */
export function createConversation(
  client: Client,
  terminal: Terminal,
  options: {
    readonly settings: ChatSettings;
    readonly systemPrompt: string | undefined;
    /** Go with the first message. */
    readonly images: readonly InputItem[];
  },
): Conversation {
  const { settings, systemPrompt } = options;
  let { images } = options;
  let lastResponseId: string | undefined;
  return {
    async say(text, signal) {
      const turn =
        lastResponseId === undefined
          ? { system_prompt: systemPrompt }
          : { previous_response_id: lastResponseId };
      const request = { ...settings, ...turn, input: toInput(text, images) };
      const result = await streamAnswer(client, request, createAnswerView(terminal), signal);
      images = [];
      lastResponseId = result.response_id;
      return result;
    },
    restart() {
      lastResponseId = undefined;
    },
  };
}
