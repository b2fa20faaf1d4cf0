import { CompiledQuery, sql, type Transaction } from 'kysely';
import { decodeTurn } from '../turns/codec.ts';
import { previewOf, titleOf } from '../turns/turn-summary.ts';
import type { Schema } from '../schema.ts';
import { countOf, type Migration, type MigrationOptions } from './migration.ts';

/** Number of turns in memory at a time. */
const batchSize = 100;
/** Title of a conversation whose first turn can't be read. */
const untitled = 'Untitled';

/**
 * Groups the responses into conversations. The full-text index of their titles and texts, which takes most of the time,
 * is filled while the server runs: see `search-backlog.ts`.
 */
export const conversations: Migration = async (transaction, { onProgress }) => {
  await createTables(transaction);
  await groupResponses(transaction);
  await createConversations(transaction);
  await summarizeTurns(transaction, onProgress);
  await createTitles(transaction);
};

async function createTables(transaction: Transaction<Schema>): Promise<void> {
  const { schema } = transaction;
  await schema
    .createTable('conversations')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('owner_id', 'text')
    .addColumn('title', 'text', (column) => column.notNull())
    .addColumn('is_pinned', 'integer', (column) => column.notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('updated_at', 'text', (column) => column.notNull())
    .addColumn('response_count', 'integer', (column) => column.notNull())
    .addColumn('last_response_id', 'text', (column) => column.notNull())
    .addColumn('model_key', 'text', (column) => column.notNull())
    .execute();
  await schema
    .createIndex('conversations_by_owner_and_time')
    .on('conversations')
    .columns(['owner_id', 'is_pinned', 'updated_at', 'id'])
    .execute();
  await schema
    .createIndex('conversations_by_time')
    .on('conversations')
    .columns(['is_pinned', 'updated_at'])
    .execute();

  await schema
    .createTable('conversation_entries')
    .addColumn('id', 'integer', (column) => column.primaryKey().autoIncrement())
    .addColumn('conversation_id', 'text', (column) => column.notNull())
    .addColumn('response_id', 'text', (column) => column.unique().references('responses.id'))
    .addColumn('is_deleted', 'integer', (column) => column.notNull())
    .addColumn('is_interrupted', 'integer', (column) => column.notNull())
    .addColumn('preview', 'text', (column) => column.notNull())
    .execute();
  await schema
    .createIndex('conversation_entries_by_conversation')
    .on('conversation_entries')
    .columns(['conversation_id', 'is_deleted', 'id'])
    .execute();

  // Apart from the entries, so that a search reads only those it shows.
  await schema
    .createTable('conversation_texts')
    .addColumn('id', 'integer', (column) => column.primaryKey())
    .addColumn('text', 'text', (column) => column.notNull())
    .execute();
  // https://www.sqlite.org/fts5.html#external_content_tables
  await sql`create virtual table conversation_search using fts5(
    text, content='conversation_texts', content_rowid='id', tokenize='trigram'
  )`.execute(transaction);
  await sql`create virtual table conversation_search_terms using fts5vocab(conversation_search, row)`.execute(
    transaction,
  );
  await sql`create trigger conversation_texts_insert after insert on conversation_texts begin
    insert into conversation_search(rowid, text) values (new.id, new.text);
  end`.execute(transaction);
  await sql`create trigger conversation_texts_delete after delete on conversation_texts begin
    insert into conversation_search(conversation_search, rowid, text) values ('delete', old.id, old.text);
  end`.execute(transaction);
  await sql`create trigger conversation_texts_update after update on conversation_texts begin
    insert into conversation_search(conversation_search, rowid, text) values ('delete', old.id, old.text);
    insert into conversation_search(rowid, text) values (new.id, new.text);
  end`.execute(transaction);
  await sql`create trigger conversation_entries_delete after delete on conversation_entries begin
    delete from conversation_texts where id = old.id;
  end`.execute(transaction);
}

/** Adds an entry for each response, in the order of their times, but parents before children. */
async function groupResponses(transaction: Transaction<Schema>): Promise<void> {
  await sql`
    with recursive tree(response_id, owner_id, conversation_id, created_at, is_deleted) as (
      select id, owner_id, 'conv_' || substr(id, 6), created_at, deleted_at is not null
      from responses where parent_id is null
      union all
      select child.id, child.owner_id,
        case when child.owner_id is tree.owner_id then tree.conversation_id else 'conv_' || substr(child.id, 6) end,
        child.created_at, child.deleted_at is not null
      from tree join responses as child on child.parent_id = tree.response_id
      order by 4
    )
    insert into conversation_entries (conversation_id, response_id, is_deleted, is_interrupted, preview)
    select conversation_id, response_id, is_deleted, 0, '' from tree`.execute(transaction);
  // A conversation whose responses are all deleted exists only as the history of others.
  await sql`delete from conversation_entries where conversation_id not in (
    select conversation_id from conversation_entries where is_deleted = 0
  )`.execute(transaction);
}

/** Creates the conversations without their titles. */
async function createConversations(transaction: Transaction<Schema>): Promise<void> {
  await sql`
    insert into conversations (
      id, owner_id, title, is_pinned, created_at, updated_at, response_count, last_response_id, model_key
    )
    select grouped.id, newest.owner_id, ${untitled}, 0, oldest.created_at, newest.created_at, grouped.count,
      newest.id, newest.model_key
    from (
      select conversation_id as id, min(id) as first, max(id) as last, count(*) as count
      from conversation_entries where is_deleted = 0 group by conversation_id
    ) as grouped
    join conversation_entries as first_entry on first_entry.id = grouped.first
    join responses as oldest on oldest.id = first_entry.response_id
    join conversation_entries as last_entry on last_entry.id = grouped.last
    join responses as newest on newest.id = last_entry.response_id`.execute(transaction);
}

/** Fills in the previews of the turns, and the titles of the conversations. */
async function summarizeTurns(
  transaction: Transaction<Schema>,
  onProgress: MigrationOptions['onProgress'],
): Promise<void> {
  const total = await countOf(transaction, 'conversation_entries');
  const titled = new Set<string>();
  let lastId = 0;
  while (true) {
    const rows = await transaction
      .selectFrom('conversation_entries as entry')
      .innerJoin('responses', 'responses.id', 'entry.response_id')
      .where('entry.id', '>', lastId)
      .where('entry.is_deleted', '=', 0)
      .orderBy('entry.id')
      .select(['entry.id', 'entry.conversation_id', 'responses.content'])
      .limit(batchSize)
      .execute();
    for (const { id, conversation_id: conversationId, content } of rows) {
      const turn = readTurn(content);
      const isFirst = !titled.has(conversationId);
      titled.add(conversationId);
      if (turn === undefined) continue;
      // Not built for each row: that would take longer than the update.
      await transaction.executeQuery(
        CompiledQuery.raw(
          'update conversation_entries set preview = ?, is_interrupted = ? where id = ?',
          [previewOf(turn), Number(turn.isInterrupted === true), id],
        ),
      );
      if (!isFirst) continue;
      await transaction.executeQuery(
        CompiledQuery.raw('update conversations set title = ? where id = ?', [
          titleOf(turn),
          conversationId,
        ]),
      );
    }
    const last = rows.at(-1);
    if (last === undefined) return;
    lastId = last.id;
    await onProgress(lastId, total);
  }
}

/** Adds the entries of the titles, in the order of the conversations. */
async function createTitles(transaction: Transaction<Schema>): Promise<void> {
  await sql`
    insert into conversation_entries (conversation_id, response_id, is_deleted, is_interrupted, preview)
    select conversation_id, null, 0, 0, '' from conversation_entries
    where is_deleted = 0 group by conversation_id order by min(id)`.execute(transaction);
}

/** Undefined for a damaged row, which is listed without texts. */
function readTurn(content: string): ReturnType<typeof decodeTurn> | undefined {
  try {
    return decodeTurn(content);
  } catch {
    return undefined;
  }
}
