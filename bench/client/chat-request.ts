/** A chat completion in OpenAI's format, without randomness. */
export function chatRequest(prompt: string, maxTokens: number): object {
  return chatMessages([{ role: 'user', content: prompt }], maxTokens);
}

export interface ChatMessage {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: string;
}

export function chatMessages(messages: readonly ChatMessage[], maxTokens: number): object {
  return {
    messages,
    temperature: 0,
    max_tokens: maxTokens,
    stream_options: { include_usage: true },
  };
}

export const story = 'Tell me a story';
