import { setTimeout as delay } from 'node:timers/promises';
import { CompiledQuery, type Kysely, type Transaction } from 'kysely';
import { decodeTurn, searchTextOf } from '../turns/conversation-turn.ts';
import type { Schema } from '../schema.ts';
import type { Transactions } from '../transactions.ts';
import { maxIndexedAtOnce, toSearchText } from './index-response.ts';

/** Maximum texts per step. Other work of the database waits for a step, and afterwards gets the same time. */
const maxTextsPerStep = 8;
/** Steps between two merges; each adds a part to the index. */
const stepsPerMerge = 16;

/**
 * The titles and turns of an older database that the full-text index lacks. They are indexed in descending order of
 * their entries. All entries above the lowest indexed one are done, so the work continues there after a restart.
 */
export class SearchBacklog {
  readonly #database: Kysely<Schema>;
  readonly #transactions: Transactions;
  readonly #mergeIndex: (signal: AbortSignal) => Promise<void>;
  #pendingCount: number | undefined;

  /** @param mergeIndex Merges the parts that the steps add to the index. */
  constructor(
    database: Kysely<Schema>,
    transactions: Transactions,
    mergeIndex: (signal: AbortSignal) => Promise<void>,
  ) {
    this.#database = database;
    this.#transactions = transactions;
    this.#mergeIndex = mergeIndex;
  }

  /** Number of titles and turns that searches do not find yet. */
  async pendingCount(): Promise<number> {
    this.#pendingCount ??= await countPending(this.#database);
    return this.#pendingCount;
  }

  /**
   * Indexes the backlog, in steps.
   *
   * @returns the number of titles and turns.
   * @throws the signal's reason when aborted.
   */
  async fill(signal: AbortSignal): Promise<number> {
    if ((await this.pendingCount()) === 0) return 0;
    let count = 0;
    for (let step = 1; ; step += 1) {
      const startedAt = performance.now();
      const indexed = await this.#transactions.changeLong((transaction) => indexSome(transaction));
      if (indexed === 0) break;
      count += indexed;
      this.#pendingCount = Math.max(0, (this.#pendingCount ?? 0) - indexed);
      await delay(performance.now() - startedAt, undefined, { signal });
      if (step % stepsPerMerge === 0) await this.#mergeIndex(signal);
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

/** Indexes the next texts, at least one. Returns their number. */
async function indexSome(transaction: Transaction<Schema>): Promise<number> {
  const rows = await pendingEntries(transaction, await lowestIndexed(transaction))
    .leftJoin('responses', 'responses.id', 'entry.response_id')
    .leftJoin('conversations', 'conversations.id', 'entry.conversation_id')
    .orderBy('entry.id', 'desc')
    .limit(maxTextsPerStep)
    .select(['entry.id', 'responses.content', 'conversations.title'])
    .execute();
  const texts: { readonly id: number; readonly text: string }[] = [];
  let length = 0;
  for (const { id, content, title } of rows) {
    const text = toSearchText(content === null ? (title ?? '') : textOf(content));
    length += text.length;
    if (texts.length > 0 && length > maxIndexedAtOnce) break;
    texts.push({ id, text });
  }
  // In ascending order: if an id is lower than the one before, the index starts a separate part.
  for (const { id, text } of texts.toReversed()) {
    await transaction.executeQuery(
      CompiledQuery.raw('insert into conversation_texts (id, text) values (?, ?)', [id, text]),
    );
  }
  return texts.length;
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

/** A damaged turn is indexed with an empty text, so that it does not stay in the backlog. */
function textOf(content: string): string {
  try {
    return searchTextOf(decodeTurn(content));
  } catch {
    return '';
  }
}
