import { type Expression, type Kysely, type Selectable, sql } from 'kysely';
import { HearthError } from '../../kernel/errors/errors.ts';
import { omitUndefined } from '../../kernel/omit-undefined.ts';
import type { Schema } from '../schema.ts';
import type { ConversationPage, ConversationRepository, Snippet } from './conversation.ts';
import { fromConversationRow } from './conversation-row.ts';
import type { TextSearch } from '../dialect.ts';

/** See `ConversationRepository.page`. */
export async function listConversations(
  database: Kysely<Schema>,
  texts: TextSearch,
  {
    ownerId,
    limit,
    cursor,
    search = '',
    projectId,
    isArchived,
  }: Parameters<ConversationRepository['page']>[0],
): Promise<ConversationPage> {
  const position = cursor === undefined ? undefined : parseCursor(cursor);
  const words = wordsOf(search);
  const match = words.length === 0 ? undefined : await texts.entriesWith(database, words);
  if (words.length > 0 && match === undefined) return { conversations: [], nextCursor: null };
  const base = database
    .selectFrom('conversations')
    .where('owner_id', ownerId === null ? 'is' : '=', ownerId)
    .where('last_response_id', '!=', '')
    .where('is_temporary', '=', 0)
    .$if(isArchived !== undefined, (query) => query.where('is_archived', '=', Number(isArchived)))
    .$if(projectId !== undefined, (query) =>
      query.where('project_id', projectId === null ? 'is' : '=', projectId ?? null),
    )
    .selectAll('conversations')
    .orderBy('is_pinned', 'desc')
    .orderBy('updated_at', 'desc')
    .orderBy('conversations.id', 'desc')
    .limit(limit + 1)
    .$if(position !== undefined, (query) =>
      query.where(
        sql<boolean>`(is_pinned, updated_at, conversations.id) < (${position?.isPinned}, ${position?.updatedAt}, ${position?.id})`,
      ),
    );
  if (match === undefined) return toPage(await base.execute(), limit);
  const found = await base
    .innerJoin(newestMatches(database, match), 'matched.conversation_id', 'conversations.id')
    .select('matched.entry_id')
    .execute();
  const { conversations, nextCursor } = toPage(found, limit);
  const entries = new Map(found.slice(0, limit).map((row) => [row.id, row.entry_id]));
  const snippets = await snippetsOf(database, [...entries.values()], words);
  return {
    conversations: conversations.map((conversation) => ({
      ...conversation,
      ...omitUndefined({ snippet: snippets.get(entries.get(conversation.id) ?? 0) }),
    })),
    nextCursor,
  };
}

function toPage(
  rows: readonly Selectable<Schema['conversations']>[],
  limit: number,
): ConversationPage {
  const shown = rows.slice(0, limit);
  const last = rows.length > limit ? shown.at(-1) : undefined;
  return {
    conversations: shown.map(fromConversationRow),
    nextCursor: last === undefined ? null : `${last.is_pinned}.${last.updated_at}.${last.id}`,
  };
}

/** The newest matching entry of each conversation. */
function newestMatches(database: Kysely<Schema>, match: Expression<number>) {
  return database
    .selectFrom('conversation_entries')
    .where('id', 'in', match)
    .groupBy('conversation_id')
    .select(({ fn }) => ['conversation_id', fn.max('id').as('entry_id')])
    .as('matched');
}

/** Finds the snippet of each entry. */
async function snippetsOf(
  database: Kysely<Schema>,
  entryIds: readonly number[],
  words: readonly string[],
): Promise<ReadonlyMap<number, Snippet>> {
  if (entryIds.length === 0) return new Map();
  const rows = await database
    .selectFrom('conversation_texts as texts')
    .innerJoin('conversation_entries as entries', 'entries.id', 'texts.id')
    .where('texts.id', 'in', entryIds)
    .select(['texts.id', 'texts.text', 'entries.response_id'])
    .execute();
  return new Map(
    rows.map(({ id, text, response_id: responseId }) => [id, toSnippet(text, words, responseId)]),
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

/** Characters shown around a match. */
const context = { before: 40, after: 120 };

/** Cuts out the passage around the first matching word; longer words are tried first. */
function toSnippet(text: string, words: readonly string[], responseId: string | null): Snippet {
  for (const word of words.toSorted((one, other) => other.length - one.length)) {
    const found = new RegExp(escapeRegExp(word), 'iu').exec(text);
    if (found === null) continue;
    const [match] = found;
    const start = Math.max(0, found.index - context.before);
    const end = found.index + match.length;
    return {
      responseId,
      before: `${start > 0 ? '…' : ''}${inOneLine(text.slice(start, found.index)).trimStart()}`,
      match,
      after: inOneLine(text.slice(end, end + context.after)).trimEnd(),
    };
  }
  return {
    responseId,
    before: inOneLine(text.slice(0, context.after)).trim(),
    match: '',
    after: '',
  };
}

/** Joins the lines of a slice, and drops half surrogate pairs at its ends. */
function inOneLine(text: string): string {
  return text.toWellFormed().replaceAll('\ufffd', '').replaceAll(/\s+/g, ' ');
}

function escapeRegExp(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
}

const maxWords = 16;

/** Splits a search, which may be any text, into words. */
function wordsOf(search: string): readonly string[] {
  const words = search.toWellFormed().replaceAll('\0', ' ').split(/\s+/).filter(Boolean);
  return [...new Set(words)].slice(0, maxWords);
}
