import type { ConversationTurn } from '../../../src/store/turns/conversation-turn.ts';

/** A stored turn: by default, a question without an answer. */
export function conversationTurn(changes: Partial<ConversationTurn> = {}): ConversationTurn {
  return {
    systemPrompt: null,
    instructions: null,
    messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }],
    items: [],
    stopReason: 'eosFound',
    usage: { promptTokens: 3, cachedTokens: 1, completionTokens: 5, reasoningTokens: 0 },
    timings: { timeToFirstTokenSeconds: 0.25, generationSeconds: 2, tokensPerSecond: 2.5 },
    ...changes,
  };
}
