import { chatMessages, type ChatMessage } from '../client/chat-request.ts';
import type { Endpoint } from '../client/endpoint.ts';
import { streamRequest } from '../client/stream-request.ts';
import type { Conversation } from './subject.ts';

/** A conversation that the client keeps: every turn sends all messages. */
export function plainConversation(
  endpoint: Endpoint,
  maxTokens: number,
  signal: AbortSignal,
  earlier: readonly ChatMessage[],
  isCold = false,
): Conversation {
  let messages = earlier;
  return {
    say: async (text) => {
      messages = [...messages, { role: 'user', content: text }];
      const request = { ...chatMessages(messages, maxTokens), cache_prompt: !isCold };
      const answer = await streamRequest(endpoint, request, signal);
      messages = [...messages, { role: 'assistant', content: contentOf(answer.text()) }];
      return answer.firstTokenMs;
    },
    branch: () => plainConversation(endpoint, maxTokens, signal, messages),
    // A new engine process would read the whole prompt as well.
    reload: async () => plainConversation(endpoint, maxTokens, signal, messages, true),
  };
}

interface Chunk {
  readonly choices?: readonly { readonly delta?: { readonly content?: string | null } }[];
}

function contentOf(events: string): string {
  return events
    .split('\n')
    .filter((line) => line.startsWith('data: {'))
    .map((line) => (JSON.parse(line.slice(6)) as Chunk).choices?.[0]?.delta?.content ?? '')
    .join('');
}
