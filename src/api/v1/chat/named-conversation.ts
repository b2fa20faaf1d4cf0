import { HearthError } from '../../../kernel/errors/errors.ts';
import type { ChatRequest } from './chat-schema.ts';
import type { RequestContext } from '../../../telemetry/request-context.ts';
import type { Store } from '../../../store/store.ts';
import { conversationNotFound } from '../conversations/conversations.ts';

/**
 * The conversation in which a message is another beginning. Undefined if the request names none, and for one that the
 * caller can only read: as with `previous_response_id`, the response then belongs to a conversation of the caller.
 *
 * @throws HearthError `invalid_value`, `conversation_not_found`.
 */
export async function namedConversation(
  store: Store,
  { conversation_id: id, previous_response_id: previousId, store: isStored }: ChatRequest,
  { caller }: RequestContext,
): Promise<string | undefined> {
  if (typeof id !== 'string') return undefined;
  if (typeof previousId === 'string') {
    throw invalid('`conversation_id`: `previous_response_id` decides it: leave one of them out.');
  }
  if (isStored === false) throw invalid('`conversation_id` requires `store`: leave it out.');
  const head = await store.conversations.head(id, caller.tokenId);
  if (head === undefined) throw conversationNotFound(id);
  return head.ownerId === caller.tokenId ? id : undefined;
}

function invalid(message: string): HearthError {
  return new HearthError('invalid_value', message, { param: 'conversation_id' });
}
