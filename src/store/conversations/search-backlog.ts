import { setTimeout as delay } from 'node:timers/promises';
import { CompiledQuery, type Kysely, type Transaction } from 'kysely';
import { decodeTurn } from '../../conversation/codec.ts';
import { searchTextOf } from '../../conversation/turn-summary.ts';
import type { Schema } from '../schema.ts';
import { toSearchText } from './search-text.ts';

/** Time of one step, which blocks the event loop; other work runs for as long before the next one. */
const stepMs = 5;
/** Texts that are read at a time. */
const rowsPerRead = 8;

/**
 * The titles and turns of an older database that the full-text index lacks. They are indexed in descending order of their
 * entries: all entries above the lowest indexed one are done, and the work continues there after a restart.
 */
export class SearchBacklog {
  readonly #database: Kysely<Schema>;
  #pendingCount: number | undefined;

  constructor(database: Kysely<Schema>) {
    this.#database = database;
  }

  /** Number of titles and turns that a search does not find yet. */
  async pendingCount(): Promise<number> {
    this.#pendingCount ??= await countPending(this.#database);
    return this.#pendingCount;
  }

  /**
   * Indexes all that is pending, in steps.
   *
   * @returns the number of titles and turns.
   * @throws the signal's reason when aborted.
   */
  async fill(signal: AbortSignal): Promise<number> {
    if ((await this.pendingCount()) === 0) return 0;
    let count = 0;
    while (true) {
      const startedAt = performance.now();
      const indexed = await this.#database
        .transaction()
        .execute((transaction) => indexSome(transaction, startedAt + stepMs));
      if (indexed === 0) break;
      count += indexed;
      this.#pendingCount = Math.max(0, (this.#pendingCount ?? 0) - indexed);
      await delay(performance.now() - startedAt, undefined, { signal });
    }
    this.#pendingCount = 0;
    return count;
  }
}

async function countPending(database: Kysely<Schema>): Promise<number> {
  const { count } = await pendingEntries(database, await lowestIndexed(database))
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return count;
}

/** Indexes the next texts until a time of `performance.now()`, at least one. Returns their number. */
async function indexSome(transaction: Transaction<Schema>, until: number): Promise<number> {
  let count = 0;
  do {
    const rows = await pendingEntries(transaction, await lowestIndexed(transaction))
      .leftJoin('responses', 'responses.id', 'entry.response_id')
      .leftJoin('conversations', 'conversations.id', 'entry.conversation_id')
      .orderBy('entry.id', 'desc')
      .limit(rowsPerRead)
      .select(['entry.id', 'responses.content', 'conversations.title'])
      .execute();
    if (rows.length === 0) return count;
    for (const { id, content, title } of rows) {
      const text = content === null ? (title ?? '') : textOf(content);
      await transaction.executeQuery(
        CompiledQuery.raw('insert into conversation_texts (id, text) values (?, ?)', [
          id,
          toSearchText(text),
        ]),
      );
      count += 1;
      if (performance.now() > until) break;
    }
  } while (performance.now() < until);
  return count;
}

function pendingEntries(database: Kysely<Schema>, below: number) {
  return database
    .selectFrom('conversation_entries as entry')
    .where('entry.is_deleted', '=', 0)
    .where('entry.id', '<', below);
}

async function lowestIndexed(database: Kysely<Schema>): Promise<number> {
  const row = await database
    .selectFrom('conversation_texts')
    .orderBy('id')
    .limit(1)
    .select('id')
    .executeTakeFirst();
  return row?.id ?? Number.MAX_SAFE_INTEGER;
}

/** A damaged turn is indexed without words, so that the work does not return to it. */
function textOf(content: string): string {
  try {
    return searchTextOf(decodeTurn(content));
  } catch {
    return '';
  }
}
