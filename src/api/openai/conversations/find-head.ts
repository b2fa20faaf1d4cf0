import { HearthError } from '../../../kernel/errors/errors.ts';
import type { RequestContext } from '../../../kernel/request/request-context.ts';
import type { ConversationHead } from '../../../store/conversations/conversation.ts';
import type { Store } from '../../../store/store.ts';

/**
 * Finds a conversation that the caller can read.
 *
 * @param param Request field with the id.
 * @throws HearthError `conversation_not_found`.
 */
export async function findHead(
  store: Store,
  id: string,
  { caller }: RequestContext,
  param = 'conversation_id',
): Promise<ConversationHead> {
  const head = await store.conversations.head(id, caller.tokenId);
  if (head !== undefined) return head;
  throw new HearthError(
    'conversation_not_found',
    `No stored conversation has the id ${JSON.stringify(id.slice(0, 100))}.`,
    { param },
  );
}

/**
 * Finds a conversation that the caller can change. A token can read, but not change, one that was made without a token.
 *
 * @throws HearthError `conversation_not_found`.
 */
export async function ownHead(
  store: Store,
  id: string,
  context: RequestContext,
  param = 'conversation_id',
): Promise<ConversationHead> {
  const head = await findHead(store, id, context, param);
  if (head.ownerId === context.caller.tokenId) return head;
  throw new HearthError(
    'conversation_not_found',
    `The conversation "${id}" was made without a token; a request with one can read it, not change it. Continue its last response with \`previous_response_id\`.`,
    { param },
  );
}
