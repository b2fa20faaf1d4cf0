import { setImmediate as nextLoop } from 'node:timers/promises';
import { sql, type Kysely } from 'kysely';
import type { Schema } from './schema.ts';

/** Pages that one step frees or merges: each step blocks the event loop. */
const pagesPerStep = 64;

export interface StoreSize {
  /** Size of the database without its free pages. */
  readonly usedBytes: number;
  readonly freeBytes: number;
}

/**
 * Removes the words of deleted texts from the index, in steps, so that other work of the server runs between them.
 *
 * @throws the signal's reason when aborted.
 */
export async function mergeIndex(database: Kysely<Schema>, signal: AbortSignal): Promise<void> {
  let changes: number;
  do {
    changes = await database.connection().execute(async (connection) => {
      const before = await totalChanges(connection);
      // https://www.sqlite.org/fts5.html#the_merge_command: a negative number continues an optimization.
      await sql`insert into conversation_search(conversation_search, rank) values ('merge', ${sql.lit(-pagesPerStep)})`.execute(
        connection,
      );
      return (await totalChanges(connection)) - before;
    });
    await pause(signal);
    // The command counts as one change.
  } while (changes > 1);
}

/**
 * Gives free pages back to the file system, in steps. A file of an early version keeps its free pages until `rewrite`.
 *
 * @throws the signal's reason when aborted.
 */
export async function freePages(database: Kysely<Schema>, signal: AbortSignal): Promise<void> {
  let free = Number.POSITIVE_INFINITY;
  while (true) {
    const { freeBytes } = await storeSize(database);
    if (freeBytes === 0 || freeBytes >= free) return;
    free = freeBytes;
    await sql`pragma incremental_vacuum(${sql.lit(pagesPerStep)})`.execute(database);
    await pause(signal);
  }
}

export async function storeSize(database: Kysely<Schema>): Promise<StoreSize> {
  const { rows } = await sql<{
    readonly pages: number;
    readonly free: number;
    readonly size: number;
  }>`
    select page_count as pages, freelist_count as free, page_size as size
    from pragma_page_count, pragma_freelist_count, pragma_page_size`.execute(database);
  const { pages = 0, free = 0, size = 0 } = rows[0] ?? {};
  return { usedBytes: (pages - free) * size, freeBytes: free * size };
}

async function totalChanges(database: Kysely<Schema>): Promise<number> {
  const { rows } = await sql<{
    readonly count: number;
  }>`select total_changes() as count`.execute(database);
  return rows[0]?.count ?? 0;
}

async function pause(signal: AbortSignal): Promise<void> {
  await nextLoop();
  signal.throwIfAborted();
}
