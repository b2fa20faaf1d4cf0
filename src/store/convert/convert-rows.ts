import { CompiledQuery, sql, type Transaction } from 'kysely';
import { insertBlobs } from '../blobs/blob-repository.ts';
import { detachImages } from '../detach-images.ts';
import type { Schema } from '../schema.ts';
import {
  decodeTurn,
  encodeTurn,
  previewOf,
  titleOf,
  type ConversationTurn,
} from '../turns/conversation-turn.ts';
import { readFirstFormat } from './first-format.ts';

type ReportRows = (done: number, total: number) => Promise<void>;

/** The first version that stores turns as `encodeTurn` writes them, and images separately. */
const versionOfTurns = 4;
/** The first version with conversations. */
const versionOfConversations = 5;
/** Number of turns in memory at a time. */
const batchSize = 50;
/** Title of a conversation whose first turn can't be read. */
const untitled = 'Untitled';

/**
 * Converts the rows of SQLite databases of earlier versions. PostgreSQL came after the last change of rows.
 * The full-text index, which takes most of the time, is filled while the server runs: see `search-backlog.ts`.
 */
export async function convertRows(
  transaction: Transaction<Schema>,
  from: number,
  onProgress: (fraction: number) => Promise<void>,
): Promise<void> {
  const hasTurns = from >= versionOfTurns;
  if (!hasTurns) {
    await rewriteTurns(transaction, (done, total) => onProgress(done / total / 2));
  }
  if (from >= versionOfConversations) return;
  await groupResponses(transaction);
  await createConversations(transaction);
  const start = hasTurns ? 0 : 0.5;
  await summarizeTurns(transaction, (done, total) =>
    onProgress(start + (1 - start) * Math.min(1, done / total)),
  );
  await createTitles(transaction);
}

/** Rewrites the turns in the format of `encodeTurn`, and moves images of tools into blobs. */
async function rewriteTurns(transaction: Transaction<Schema>, onRows: ReportRows): Promise<void> {
  const total = await countOf(transaction, 'responses');
  let done = 0;
  let lastRow = 0;
  while (true) {
    // Reads in the order of the file. In the order of the ids, which are random, rows of many pages would not stay in
    // memory.
    const { rows } = await transaction.executeQuery<{
      readonly row: number;
      readonly id: string;
      readonly content: string;
    }>(
      CompiledQuery.raw(
        'select rowid as row, id, content from responses where rowid > ? order by rowid limit ?',
        [lastRow, batchSize],
      ),
    );
    for (const { row, id, content } of rows) {
      const stored = readTurn(content);
      if (stored === undefined) continue;
      const { turn, blobs } = detachImages(stored);
      await insertBlobs(
        transaction,
        blobs.map((blob) => ({ ...blob, objectKey: null })),
      );
      for (const { sha256 } of blobs) {
        await transaction
          .insertInto('response_blobs')
          .values({ response_id: id, sha256 })
          .onConflict((conflict) => conflict.doNothing())
          .execute();
      }
      await transaction.executeQuery(
        CompiledQuery.raw('update responses set content = ? where rowid = ?', [
          encodeTurn(turn),
          row,
        ]),
      );
    }
    const last = rows.at(-1);
    if (last === undefined) return;
    lastRow = last.row;
    done += rows.length;
    await onRows(done, total);
  }
}
/** Adds an entry for each response. Parents come before children, otherwise by time. */
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
  // Removes conversations that have only deleted responses, which are the history of other conversations.
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
async function summarizeTurns(transaction: Transaction<Schema>, onRows: ReportRows): Promise<void> {
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
      // Raw SQL, since Kysely would take longer to build the statement for each row than SQLite to run it.
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
    await onRows(lastId, total);
  }
}

/** Adds the entries of the titles, in the conversations' order. */
async function createTitles(transaction: Transaction<Schema>): Promise<void> {
  await sql`
    insert into conversation_entries (conversation_id, response_id, is_deleted, is_interrupted, preview)
    select conversation_id, null, 0, 0, '' from conversation_entries
    where is_deleted = 0 group by conversation_id order by min(id)`.execute(transaction);
}

/** Undefined for a damaged row, which stays unchanged and is listed without texts. */
function readTurn(content: string): ConversationTurn | undefined {
  try {
    const value: unknown = JSON.parse(content);
    const isFirst = typeof value === 'object' && value !== null && !('formatVersion' in value);
    return isFirst ? readFirstFormat(value) : decodeTurn(content);
  } catch {
    return undefined;
  }
}

async function countOf(
  transaction: Transaction<Schema>,
  table: 'responses' | 'conversation_entries',
): Promise<number> {
  const { count } = await transaction
    .selectFrom(table)
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return count;
}
