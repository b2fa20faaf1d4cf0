import { storedImage } from '../../../chat/stored-image.ts';
import type { ConversationContent, ConversationMessage } from '../../../store/turns/content.ts';
import { inputParts, isRemoved, type InputPart } from '../../../store/turns/removed-parts.ts';
import type { Store, StoredResponse } from '../../../store/store.ts';
import { itemId } from './to-output-item.ts';

interface StoredInputItem {
  readonly id: string;
  readonly type: string;
  readonly [field: string]: unknown;
}

/** The input items of a stored response in order, without removed ones. */
export async function toInputItems(
  store: Store,
  response: StoredResponse,
): Promise<StoredInputItem[]> {
  const items: StoredInputItem[] = [];
  for (const [position, part] of inputParts(response.turn).entries()) {
    if (isRemoved(response.turn, { of: 'input', position })) continue;
    const item = await toInputItem(store, response, part, position);
    if (item !== undefined) items.push(item);
  }
  return items;
}

async function toInputItem(
  store: Store,
  { id, turn }: StoredResponse,
  part: InputPart,
  position: number,
): Promise<StoredInputItem | undefined> {
  const idOf = (type: Parameters<typeof itemId>[1]) => itemId(id, type, `in${position}`);
  if (part.type === 'approval') {
    const approval = turn.approvals?.[part.index];
    return (
      approval && {
        id: idOf('mcp_approval_response'),
        type: 'mcp_approval_response',
        approval_request_id: approval.requestId,
        approve: approval.isApproved,
        reason: approval.reason ?? null,
      }
    );
  }
  const message = turn.messages[part.index];
  if (message === undefined) return undefined;
  if (part.type === 'call') {
    const call = message.role === 'assistant' ? message.toolCalls?.[part.callIndex] : undefined;
    return (
      call && {
        id: idOf('function_call'),
        type: 'function_call',
        status: 'completed',
        call_id: call.id,
        name: call.name,
        arguments: call.argumentsJson,
      }
    );
  }
  const content = await toParts(store, message);
  if (message.role === 'tool') {
    return {
      id: idOf('function_call'),
      type: 'function_call_output',
      status: 'completed',
      call_id: message.toolCallId,
      output: content,
    };
  }
  const { role } = message;
  return { id: idOf('message'), type: 'message', role, status: 'completed', content };
}

async function toParts(
  store: Store,
  { role, content }: ConversationMessage,
): Promise<readonly object[]> {
  const toPart = async (part: ConversationContent): Promise<object> => {
    if (part.type === 'text') {
      if (role !== 'assistant') return { type: 'input_text', text: part.text };
      return { type: 'output_text', text: part.text, annotations: [], logprobs: [] };
    }
    const url = await storedImage(store, part.sha256);
    if (part.type === 'image') return { type: 'input_image', detail: 'auto', image_url: url };
    const format = part.mediaType === 'audio/mpeg' ? 'mp3' : 'wav';
    return { type: 'input_audio', input_audio: { data: url.slice(url.indexOf(',') + 1), format } };
  };
  return Promise.all(content.map(toPart));
}
