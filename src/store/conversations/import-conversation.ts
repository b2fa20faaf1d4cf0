import { randomBytes } from 'node:crypto';
import { setImmediate as nextLoop } from 'node:timers/promises';
import type { Transaction } from 'kysely';
import { insertResponse } from '../insert-response.ts';
import type { Schema } from '../schema.ts';
import type { ConversationImport } from './conversation.ts';

/**
 * Stores the responses of an import with new ids.
 *
 * @returns the id of the conversation.
 */
export async function importConversation(
  transaction: Transaction<Schema>,
  { ownerId, title, responses, blobs }: ConversationImport,
): Promise<string> {
  const newIds = new Map(
    responses.map(({ id }) => [id, `resp_${randomBytes(24).toString('hex')}`]),
  );
  let conversationId: string | undefined;
  for (const [index, response] of responses.entries()) {
    const { id, parentId } = response;
    conversationId = await insertResponse(
      transaction,
      {
        ...response,
        id: newIds.get(id) ?? id,
        parentId: parentId === null ? null : (newIds.get(parentId) ?? parentId),
        ownerId,
      },
      index === 0 ? blobs : [],
      { title, conversationId },
    );
    // Each response takes a fraction of a millisecond.
    if (index % 20 === 19) await nextLoop();
  }
  if (conversationId === undefined) throw new TypeError('An import without responses');
  return conversationId;
}
