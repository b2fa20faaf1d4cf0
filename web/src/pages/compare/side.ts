import type { ChatEvent } from '../../../../src/api/v1/chat/chat-event-schema.ts';
import type { ChatResult } from '../../../../src/api/v1/chat/chat-schema.ts';
import { errorText } from '../../ui/error-text.ts';

/** Settings of one side. */
export interface SideSettings {
  readonly model: string;
  /** An empty text means the default. */
  readonly temperature: string;
  readonly maxTokens: string;
}

/** The answer of one side. */
export interface SideAnswer {
  readonly phase: 'idle' | 'waiting' | 'loading' | 'generating' | 'done' | 'stopped';
  readonly text: string;
  readonly reasoning: string;
  readonly stats: ChatResult['stats'] | undefined;
  readonly loadSeconds: number | undefined;
  readonly error: string | undefined;
}

export const idleAnswer: SideAnswer = {
  phase: 'idle',
  text: '',
  reasoning: '',
  stats: undefined,
  loadSeconds: undefined,
  error: undefined,
};

/** Returns the answer after an event of its stream. */
export function withChatEvent(answer: SideAnswer, event: ChatEvent): SideAnswer {
  switch (event.type) {
    case 'message.delta':
      return { ...answer, phase: 'generating', text: answer.text + event.content };
    case 'reasoning.delta':
      return { ...answer, phase: 'generating', reasoning: answer.reasoning + event.content };
    case 'error':
      return { ...answer, phase: 'done', error: errorText(event.error) };
    case 'chat.end':
      return { ...answer, phase: 'done', stats: event.result.stats };
    default:
      return answer;
  }
}

/** Request body of one side. The response is not stored as a conversation. */
export function toSideBody(
  { model, temperature, maxTokens }: SideSettings,
  { prompt, system }: { readonly prompt: string; readonly system: string },
) {
  return {
    model,
    input: prompt,
    stream: true,
    store: false,
    ...(system.trim() === '' ? {} : { system_prompt: system }),
    ...(temperature === '' ? {} : { temperature: Number(temperature) }),
    ...(maxTokens === '' ? {} : { max_output_tokens: Number(maxTokens) }),
  };
}
