import { sql, type Kysely } from 'kysely';
import { HearthError } from '../../contract/errors.ts';
import type { Schema } from '../schema.ts';
import type {
  ConversationPage,
  ConversationRepository,
  ListedConversation,
} from './conversation.ts';
import { fromConversationRow } from './conversation-row.ts';
import { toFullTextQuery, wordsOf } from './search-query.ts';
import { toSnippet } from './to-snippet.ts';

/** See `ConversationRepository.page`. */
export async function listConversations(
  database: Kysely<Schema>,
  { ownerId, limit, cursor, search = '' }: Parameters<ConversationRepository['page']>[0],
): Promise<ConversationPage> {
  const position = cursor === undefined ? undefined : parseCursor(cursor);
  const words = wordsOf(search);
  const match = words.length === 0 ? undefined : await toFullTextQuery(database, words);
  if (words.length > 0 && match === undefined) return { conversations: [], nextCursor: null };
  const rows = await database
    .selectFrom('conversations')
    .where('owner_id', ownerId === null ? 'is' : '=', ownerId)
    .selectAll('conversations')
    .$if(position !== undefined, (query) =>
      query.where(
        sql<boolean>`(is_pinned, updated_at, id) < (${position?.isPinned}, ${position?.updatedAt}, ${position?.id})`,
      ),
    )
    .$if(match !== undefined, (query) =>
      query.where('id', 'in', (matched) =>
        matched
          .selectFrom('conversation_entries')
          .where(
            'id',
            'in',
            sql<number>`(select rowid from conversation_search where conversation_search match ${match})`,
          )
          .select('conversation_id'),
      ),
    )
    .orderBy('is_pinned', 'desc')
    .orderBy('updated_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit + 1)
    .execute();
  const shown = rows.slice(0, limit);
  const last = rows.length > limit ? shown.at(-1) : undefined;
  const conversations = shown.map(fromConversationRow);
  return {
    conversations:
      match === undefined
        ? conversations
        : await withSnippets(database, conversations, match, words),
    nextCursor: last === undefined ? null : `${last.is_pinned}.${last.updated_at}.${last.id}`,
  };
}

/** Adds the newest match of each conversation. */
async function withSnippets(
  database: Kysely<Schema>,
  conversations: readonly ListedConversation[],
  match: string,
  words: readonly string[],
): Promise<readonly ListedConversation[]> {
  const entries = await database
    .selectFrom('conversation_entries')
    .where(
      'id',
      'in',
      sql<number>`(select rowid from conversation_search where conversation_search match ${match})`,
    )
    .where(
      'conversation_id',
      'in',
      conversations.map(({ id }) => id),
    )
    .groupBy('conversation_id')
    .select(({ fn }) => ['conversation_id', fn.max('id').as('id')])
    .execute();
  const found = new Map(entries.map((entry) => [entry.conversation_id, entry.id]));
  return Promise.all(
    conversations.map(async (conversation) => {
      const { text, response_id: responseId } = await database
        .selectFrom('conversation_entries')
        .where('id', '=', found.get(conversation.id) ?? 0)
        .select(['text', 'response_id'])
        .executeTakeFirstOrThrow();
      return { ...conversation, snippet: toSnippet(text, words, responseId) };
    }),
  );
}

function parseCursor(cursor: string) {
  const [, isPinned, updatedAt, id] =
    /^([01])\.(\d{4}-[\d:T-]+\.\d{3}Z)\.(conv_[0-9a-f]{48})$/.exec(cursor) ?? [];
  if (id !== undefined) return { isPinned: Number(isPinned), updatedAt, id };
  throw new HearthError(
    'invalid_value',
    'cursor: It must be the next_cursor of a previous page. Start again from the first page.',
    { field: 'cursor' },
  );
}
