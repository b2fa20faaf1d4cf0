import type { ConversationExport } from '../../../src/api/v1/conversations/conversation-export-schema.ts';

/** An exported conversation with one branch and numbered messages. */
export function importedConversation(turns: number): ConversationExport {
  const idOf = (number: number) => `resp_${String(number).padStart(48, '0')}`;
  return {
    format: 'hearth.conversation',
    version: 1,
    title: 'A long conversation',
    images: {},
    responses: Array.from({ length: turns }, (_, index) => ({
      response_id: idOf(index + 1),
      previous_response_id: index === 0 ? null : idOf(index),
      created_at: new Date(Date.UTC(2026, 10, 1) + index * 60_000).toISOString(),
      model: 'hearth/starter-chat',
      model_instance_id: 'hearth/starter-chat',
      turn: turnOf(index + 1),
    })),
  };
}

/** An exported conversation with one message and its answer. */
export function importedTurn(texts: readonly string[], answer: string): ConversationExport {
  const [response] = importedConversation(1).responses;
  if (response === undefined) throw new Error('the conversation is empty');
  const messages = [{ role: 'user', content: texts.map((text) => ({ type: 'text', text })) }];
  const items = [{ type: 'message', text: answer }];
  return {
    ...importedConversation(1),
    title: 'An imported conversation',
    responses: [{ ...response, turn: { ...turnOf(1), messages, items } }],
  };
}

function turnOf(number: number) {
  return {
    formatVersion: 3,
    systemPrompt: null,
    instructions: null,
    messages: [{ role: 'user', content: [{ type: 'text', text: `Question ${number}` }] }],
    items: [
      { type: 'message', text: `Answer ${number}\n\n- one\n- two\n\n\`\`\`js\nlet a;\n\`\`\`\n` },
    ],
    stopReason: 'eosFound',
    usage: { promptTokens: 20, cachedTokens: 0, completionTokens: 6, reasoningTokens: 0 },
    timings: { timeToFirstTokenSeconds: 0.1, generationSeconds: 0.2, tokensPerSecond: 25 },
  };
}
