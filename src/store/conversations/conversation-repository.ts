import { sql, type Kysely, type Transaction } from 'kysely';
import { omitUndefined } from '../../kernel/omit-undefined.ts';
import { ancestryOf } from '../ancestry.ts';
import { readableResponses } from '../response-rows.ts';
import type { Schema } from '../schema.ts';
import type { ConversationRepository, StoredConversation } from './conversation.ts';
import {
  createConversation,
  head,
  readableConversations,
  fromConversationRow,
} from './conversation-row.ts';
import { hasProject, projectNotFound } from '../project-repository.ts';
import { conversationBranch, conversationTree } from './conversation-tree.ts';
import { deleteConversation } from './delete-conversation.ts';
import { importConversation, placeImport } from './import-conversation.ts';
import { listConversations } from './list-conversations.ts';
import type { SearchBacklog } from './search-backlog.ts';
import { toSearchText } from './index-response.ts';
import type { PlaceBlobs } from '../blobs/blob-repository.ts';
import type { TextSearch } from '../dialect.ts';
import type { Transactions } from '../transactions.ts';
import type { Logger } from '../../kernel/logger.ts';

interface ConversationRepositoryOptions {
  readonly database: Kysely<Schema>;
  readonly logger: Logger;
  readonly transactions: Transactions;
  /** Called with the images of an import before the import is stored. */
  readonly placeBlobs: PlaceBlobs;
  readonly search: TextSearch;
  readonly backlog: Pick<SearchBacklog, 'pendingCount'>;
  /** Called before a conversation is deleted. */
  readonly onDelete: () => void;
}

/** Stored conversations in any database that Kysely supports. */
export function createConversationRepository({
  database,
  logger,
  transactions,
  placeBlobs,
  search,
  backlog,
  onDelete,
}: ConversationRepositoryOptions): ConversationRepository {
  return {
    page: async (options) => {
      if (options.search === undefined) return listConversations(database, search, options);
      const page = await transactions.readLong((reader) =>
        listConversations(reader, search, options),
      );
      return { ...page, unindexedCount: await backlog.pendingCount() };
    },
    find: (id, callerId) => find(database, id, callerId),
    head: (id, callerId) => head(database, id, callerId),
    create: (options) => createConversation(database, options),
    setMetadata: (id, ownerId, metadata) =>
      transactions.change(async (transaction) => {
        if (!(await isOwn(transaction, id, ownerId))) return undefined;
        await transaction
          .updateTable('conversations')
          .set({ metadata: JSON.stringify(metadata) })
          .where('id', '=', id)
          .execute();
        return head(transaction, id, ownerId);
      }),
    idOf: async (responseId) => {
      const entry = await database
        .selectFrom('conversation_entries')
        .where('response_id', '=', responseId)
        .where('is_deleted', '=', 0)
        .select('conversation_id')
        .executeTakeFirst();
      return entry?.conversation_id;
    },
    tree: (id) => conversationTree(database, id),
    hasResponse: (id, responseId) => hasResponse(database, id, responseId),
    branch: (options) => conversationBranch(database, logger, options),
    update: (id, ownerId, changes) =>
      transactions.change((transaction) => update(transaction, id, ownerId, changes)),
    delete: (id, ownerId) => {
      onDelete();
      return transactions.changeLong(async (transaction) => {
        const exists = await isOwn(transaction, id, ownerId);
        if (exists) await deleteConversation(transaction, id);
        return exists;
      });
    },
    leastRecent: (before) => leastRecent(database, before),
    leftTemporary: async (before) => {
      const row = await database
        .selectFrom('conversations')
        .where('is_temporary', '=', 1)
        .where('updated_at', '<', before.toISOString())
        .select(['id', 'owner_id'])
        .limit(1)
        .executeTakeFirst();
      return row && { id: row.id, ownerId: row.owner_id };
    },
    importedHashes: async (ownerId, hashes) => {
      if (hashes.length === 0) return new Set();
      const rows = await database
        .selectFrom('conversations')
        .where('import_hash', 'in', hashes)
        .where('owner_id', ownerId === null ? 'is' : '=', ownerId)
        .select('import_hash')
        .execute();
      return new Set(rows.flatMap(({ import_hash: hash }) => hash ?? []));
    },
    import: async (conversation) => {
      const placed = await placeImport(conversation, placeBlobs);
      return transactions.add(
        async (transaction) => {
          const id = await importConversation(transaction, placed);
          return fromConversationRow(
            await transaction
              .selectFrom('conversations')
              .where('id', '=', id)
              .selectAll()
              .executeTakeFirstOrThrow(),
          );
        },
        { isLong: true },
      );
    },
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
  const row = await readableConversations(database, callerId)
    .where('id', '=', id)
    .where('last_response_id', '!=', '')
    .selectAll()
    .executeTakeFirst();
  return row === undefined ? undefined : fromConversationRow(row);
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

async function leastRecent(
  database: Kysely<Schema>,
  before: Date | undefined,
): ReturnType<ConversationRepository['leastRecent']> {
  const row = await database
    .selectFrom('conversations')
    .where('is_pinned', '=', 0)
    .$if(before !== undefined, (query) =>
      query.where('updated_at', '<', (before ?? new Date()).toISOString()),
    )
    .orderBy('updated_at')
    .select(['id', 'owner_id'])
    .limit(1)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const { bytes } = await database
    .selectFrom('conversation_entries')
    .innerJoin('responses', 'responses.id', 'conversation_entries.response_id')
    .where('conversation_id', '=', row.id)
    .select(sql<number | null>`sum(octet_length(content))`.as('bytes'))
    .executeTakeFirstOrThrow();
  return { id: row.id, ownerId: row.owner_id, contentBytes: bytes ?? 0 };
}

async function isOwn(
  database: Kysely<Schema>,
  id: string,
  ownerId: string | null,
): Promise<boolean> {
  const found = await head(database, id, ownerId);
  return found !== undefined && found.ownerId === ownerId;
}

async function update(
  transaction: Transaction<Schema>,
  id: string,
  ownerId: string | null,
  { title, isPinned, isArchived, projectId }: Parameters<ConversationRepository['update']>[2],
): Promise<StoredConversation | undefined> {
  const conversation = await find(transaction, id, ownerId);
  if (conversation?.ownerId !== ownerId) return undefined;
  if (typeof projectId === 'string' && !(await hasProject(transaction, projectId, ownerId))) {
    throw projectNotFound(projectId);
  }
  const changes = {
    ...omitUndefined({ title }),
    ...(isPinned === undefined ? {} : { is_pinned: Number(isPinned) }),
    ...(isArchived === undefined ? {} : { is_archived: Number(isArchived) }),
    ...(projectId === undefined ? {} : { project_id: projectId }),
  };
  if (Object.keys(changes).length > 0) {
    await transaction.updateTable('conversations').set(changes).where('id', '=', id).execute();
  }
  if (title !== undefined) {
    await transaction
      .updateTable('conversation_texts')
      .set({ text: toSearchText(title) })
      .where('id', 'in', (query) =>
        query
          .selectFrom('conversation_entries')
          .where('conversation_id', '=', id)
          .where('response_id', 'is', null)
          .select('id'),
      )
      .execute();
  }
  return find(transaction, id, ownerId);
}
