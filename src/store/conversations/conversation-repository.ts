import type { Kysely } from 'kysely';
import { omitUndefined } from '../../omit-undefined.ts';
import { ancestryOf } from '../ancestry.ts';
import { readableResponses } from '../readable-responses.ts';
import type { Schema } from '../schema.ts';
import type { ConversationRepository, StoredConversation } from './conversation.ts';
import { conversationBranch } from './conversation-branch.ts';
import { fromConversationRow } from './conversation-row.ts';
import { conversationTree } from './conversation-tree.ts';
import { deleteConversation } from './delete-conversation.ts';
import { importConversation } from './import-conversation.ts';
import { listConversations } from './list-conversations.ts';
import { toSearchText } from './search-text.ts';
import type { Logger } from '../../observability/logger.ts';

/** Stored conversations in a SQLite database, which has the full-text index. */
export function createConversationRepository(
  database: Kysely<Schema>,
  logger: Logger,
): ConversationRepository {
  return {
    page: (options) => listConversations(database, options),
    find: (id, callerId) => find(database, id, callerId),
    tree: (id) => conversationTree(database, id),
    hasResponse: (id, responseId) => hasResponse(database, id, responseId),
    branch: (options) => conversationBranch(database, logger, options),
    update: (id, ownerId, changes) => update(database, id, ownerId, changes),
    delete: (id, ownerId) =>
      database.transaction().execute(async (transaction) => {
        const conversation = await findOwn(transaction, id, ownerId);
        if (conversation !== undefined) await deleteConversation(transaction, id);
        return conversation !== undefined;
      }),
    import: (conversation) =>
      database.transaction().execute(async (transaction) => {
        const id = await importConversation(transaction, conversation);
        return fromConversationRow(
          await transaction
            .selectFrom('conversations')
            .where('id', '=', id)
            .selectAll()
            .executeTakeFirstOrThrow(),
        );
      }),
    canReadBlob: async (sha256, callerId) => {
      const reference = await readableResponses(database, callerId)
        .innerJoin('response_blobs', 'response_blobs.response_id', 'responses.id')
        .where('response_blobs.sha256', '=', sha256)
        .select('responses.id')
        .limit(1)
        .executeTakeFirst();
      return reference !== undefined;
    },
  };
}

async function find(
  database: Kysely<Schema>,
  id: string,
  callerId: string | null,
): Promise<StoredConversation | undefined> {
  const row = await database
    .selectFrom('conversations')
    .where('id', '=', id)
    .selectAll()
    .executeTakeFirst();
  if (row === undefined || (row.owner_id !== null && row.owner_id !== callerId)) return undefined;
  return fromConversationRow(row);
}

async function hasResponse(
  database: Kysely<Schema>,
  id: string,
  responseId: string,
): Promise<boolean> {
  const entries = database.selectFrom('conversation_entries').where('conversation_id', '=', id);
  const entry = await entries.where('response_id', '=', responseId).select('id').executeTakeFirst();
  if (entry !== undefined) return true;
  const first = await entries
    .where('response_id', 'is not', null)
    .orderBy('id')
    .select('response_id')
    .executeTakeFirst();
  return (
    first?.response_id != null &&
    (await ancestryOf(database, first.response_id)).includes(responseId)
  );
}

async function findOwn(
  database: Kysely<Schema>,
  id: string,
  ownerId: string | null,
): Promise<StoredConversation | undefined> {
  const found = await find(database, id, ownerId);
  return found?.ownerId === ownerId ? found : undefined;
}

async function update(
  database: Kysely<Schema>,
  id: string,
  ownerId: string | null,
  { title, isPinned }: Parameters<ConversationRepository['update']>[2],
): Promise<StoredConversation | undefined> {
  return database.transaction().execute(async (transaction) => {
    const conversation = await findOwn(transaction, id, ownerId);
    if (conversation === undefined) return undefined;
    const changes = omitUndefined({
      title,
      is_pinned: isPinned === undefined ? undefined : Number(isPinned),
    });
    if (Object.keys(changes).length > 0) {
      await transaction.updateTable('conversations').set(changes).where('id', '=', id).execute();
    }
    if (title !== undefined) {
      await transaction
        .updateTable('conversation_entries')
        .set({ text: toSearchText(title) })
        .where('conversation_id', '=', id)
        .where('response_id', 'is', null)
        .execute();
    }
    return find(transaction, id, ownerId);
  });
}
