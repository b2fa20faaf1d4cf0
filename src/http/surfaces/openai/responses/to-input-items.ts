import { storedImage } from '../../../../chat/stored-image.ts';
import type { ConversationContent, ConversationMessage } from '../../../../conversation/content.ts';
import type { Store, StoredResponse } from '../../../../store/store.ts';
import { itemId } from './to-output-item.ts';

interface StoredInputItem {
  readonly id: string;
  readonly type: string;
  readonly [field: string]: unknown;
}

/** What the request of a stored response brought, in its order. */
export async function toInputItems(
  store: Store,
  { id, turn }: StoredResponse,
): Promise<StoredInputItem[]> {
  const items: StoredInputItem[] = [];
  const nextId = (type: 'message' | 'function_call') => itemId(id, type, `in${items.length}`);
  for (const message of turn.messages) {
    const content = await toParts(store, message);
    if (message.role === 'tool') {
      items.push({
        id: nextId('function_call'),
        type: 'function_call_output',
        status: 'completed',
        call_id: message.toolCallId,
        output: content,
      });
      continue;
    }
    const { role } = message;
    const calls = role === 'assistant' ? (message.toolCalls ?? []) : [];
    if (content.length > 0 || calls.length === 0) {
      items.push({ id: nextId('message'), type: 'message', role, status: 'completed', content });
    }
    for (const call of calls) {
      items.push({
        id: nextId('function_call'),
        type: 'function_call',
        status: 'completed',
        call_id: call.id,
        name: call.name,
        arguments: call.argumentsJson,
      });
    }
  }
  return items;
}

async function toParts(
  store: Store,
  { role, content }: ConversationMessage,
): Promise<readonly object[]> {
  const toPart = async (part: ConversationContent): Promise<object> => {
    if (part.type === 'image') {
      const url = await storedImage(store, part.sha256);
      return { type: 'input_image', detail: 'auto', image_url: url };
    }
    if (role !== 'assistant') return { type: 'input_text', text: part.text };
    return { type: 'output_text', text: part.text, annotations: [], logprobs: [] };
  };
  return Promise.all(content.map(toPart));
}
