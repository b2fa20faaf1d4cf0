import { setImmediate as nextLoop } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import type { Schema } from './schema.ts';
import { sqliteDialect } from './sqlite-dialect.ts';
import type { RunStatement } from './statement-thread.ts';
import type { SqliteConnection } from '../platform/sqlite.ts';
import { dirname } from 'node:path';
import { freeBytesOf } from '../platform/files/free-bytes.ts';
import { HearthError } from '../kernel/errors/errors.ts';

/** Pages that one step frees or merges; a step blocks other work of the database. */
const pagesPerStep = 32;

/** Runs statements without other statements of the database between them. */
export type RunAlone = <Result>(work: (run: RunStatement) => Promise<Result>) => Promise<Result>;

/**
 * Merges parts of the search index in steps, so that other work of the server runs between them. Commits add parts and
 * do not merge them: see `indexSettings`.
 *
 * @param extent `all`: until one part is left, which removes the words of deleted texts; `some`: while there are many.
 * @throws the signal's reason when aborted.
 */
export async function mergeIndex(
  runAlone: RunAlone,
  extent: 'all' | 'some',
  signal: AbortSignal,
): Promise<void> {
  // https://www.sqlite.org/fts5.html#the_merge_command: a negative number merges all.
  const pages = extent === 'all' ? -pagesPerStep : pagesPerStep;
  while (await runAlone((run) => mergePages(run, pages))) await pause(signal);
}

/** @returns true if parts were merged: the command itself counts as one change. */
async function mergePages(run: RunStatement, pages: number): Promise<boolean> {
  const before = await totalChanges(run);
  await run(
    `insert into conversation_search(conversation_search, rank) values ('merge', ${pages})`,
  );
  return (await totalChanges(run)) - before > 1;
}

/**
 * Gives free pages back to the file system, in steps. A file of an early version keeps its free pages until `rewrite`.
 *
 * @throws the signal's reason when aborted.
 */
export async function freePages(
  runAlone: RunAlone,
  database: Kysely<Schema>,
  signal: AbortSignal,
): Promise<void> {
  let free = Number.POSITIVE_INFINITY;
  while (true) {
    const { freeBytes } = await sqliteDialect.readSize(database);
    if (freeBytes === 0 || freeBytes >= free) return;
    free = freeBytes;
    await runAlone((run) => run(`pragma incremental_vacuum(${pagesPerStep})`));
    await pause(signal);
  }
}

async function totalChanges(run: RunStatement): Promise<number> {
  const [row] = await run('select total_changes() as count');
  return (row as { readonly count: number }).count;
}

async function pause(signal: AbortSignal): Promise<void> {
  await nextLoop();
  signal.throwIfAborted();
}

/**
 * By default, a commit merges parts of the index, 64 pages and more at a time, which blocks the event loop. With these
 * settings a commit merges only if parts have accumulated because `mergeIndex` did not run; an index can have 2000
 * parts.
 * https://www.sqlite.org/fts5.html#the_automerge_configuration_option
 */
const indexSettings = { automerge: 0, crisismerge: 500 };

/** Stores the merge settings of the search index in the database. */
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
      // A bigint, since node:sqlite binds numbers as floating point, which FTS5 refuses.
      .run(name, BigInt(value));
  }
}

/** Space required for a response. The commit of a short one takes about 40 KiB of the write-ahead log. */
const minBytes = 256 * 1024;

/** @throws HearthError `store_unavailable` if the disk has no room for another response. */
export async function assertDiskRoom(file: string): Promise<void> {
  const freeBytes = await freeBytesOf(dirname(file));
  if (freeBytes >= minBytes) return;
  throw new HearthError(
    'store_unavailable',
    `The disk of the database is full: ${freeBytes} bytes are free. Nothing can be stored until there is room.`,
  );
}
