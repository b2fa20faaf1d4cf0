import type { SqliteConnection } from '../platform/sqlite.ts';

/**
 * By default a commit merges parts of the index, 64 pages and more at a time, which blocks the event loop. Here a commit
 * merges only if far too many parts are left, since `mergeIndex` did not run; an index has at most 2000.
 * https://www.sqlite.org/fts5.html#the_automerge_configuration_option
 */
const indexSettings = { automerge: 0, crisismerge: 500 };

/** Sets what the database keeps about its search index. */
export function applyIndexSettings(connection: SqliteConnection): void {
  const rows = connection.prepare('select k, v from conversation_search_config').all() as {
    readonly k: string;
    readonly v: unknown;
  }[];
  const present = new Map(rows.map(({ k, v }) => [k, v]));
  for (const [name, value] of Object.entries(indexSettings)) {
    if (present.get(name) === value) continue;
    connection
      .prepare('insert into conversation_search(conversation_search, rank) values (?, ?)')
      // As an integer: node:sqlite binds numbers as floating point, which FTS5 refuses.
      .run(name, BigInt(value));
  }
}
