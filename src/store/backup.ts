import { chmod, rm } from 'node:fs/promises';
import { closeSync, existsSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { openSqlite, type SqliteConnection, sqliteResultCode } from '../platform/sqlite.ts';
import { renameWithRetry } from '../platform/files/rename-with-retry.ts';
import { flushFolder } from '../platform/files/unfinished-files.ts';
import { NewerSchemaError } from './migrate.ts';
import { sqliteSchema } from './sqlite-dialect.ts';
import { StoreOpenError } from './store-errors.ts';

/**
 * Copies a database that may be in use to a file that only its owner can read. Replaces a file of this name once the
 * copy is complete.
 *
 * @throws SQLite's error, such as for a full disk; no copy is left then.
 */
export async function backUp(connection: SqliteConnection, target: string): Promise<void> {
  const part = `${target}.part`;
  await rm(part, { force: true });
  // SQLite fills an empty file and keeps its mode.
  closeSync(openSync(part, 'wx', 0o600));
  try {
    connection.prepare('vacuum into ?').run(part);
    await chmod(part, 0o600);
    await renameWithRetry(part, target);
    await flushFolder(dirname(target));
  } finally {
    await rm(part, { force: true });
  }
}

/**
 * Replaces a database, which no process may use, with a backup. Checks the backup first, and keeps the replaced
 * database.
 *
 * @returns the file of the replaced database; undefined if there was none.
 * @throws StoreOpenError if the backup is damaged, not a database of Hearth, or of a newer version.
 */
export async function restoreBackup(backup: string, file: string): Promise<string | undefined> {
  const copy = `${file}.restored`;
  const connection = openSqlite(backup, { isReadOnly: true });
  try {
    assertUsable(connection, backup);
    await backUp(connection, copy);
  } finally {
    connection.close();
  }
  const previous = existsSync(file)
    ? `${file}.replaced-${new Date().toISOString().replaceAll(/[:.]/g, '-')}`
    : undefined;
  if (previous !== undefined) {
    for (const suffix of ['-wal', '-shm', '']) {
      if (existsSync(file + suffix)) await renameWithRetry(file + suffix, previous + suffix);
    }
  } else {
    // A database that was moved away may have left these files; SQLite would apply them to the restored one.
    for (const suffix of ['-wal', '-shm']) await rm(file + suffix, { force: true });
  }
  await renameWithRetry(copy, file);
  return previous;
}

function assertUsable(connection: ReturnType<typeof openSqlite>, backup: string): void {
  const refuse = (reason: string, cause?: unknown) =>
    new StoreOpenError(`The backup ${backup} can't be used: ${reason}.`, { cause });
  let version: number;
  try {
    const check = connection.prepare('pragma quick_check(1)').get() as Record<string, unknown>;
    if (Object.values(check)[0] !== 'ok') throw refuse('it is damaged');
    const row = connection.prepare('select version from schema_version').get();
    ({ version } = row as { readonly version: number });
  } catch (error) {
    if (error instanceof StoreOpenError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    const kind = sqliteResultCode(error) === 1 ? 'it is not a database of Hearth' : 'it is damaged';
    throw refuse(`${kind} (${reason})`, error);
  }
  if (version > sqliteSchema.version) {
    throw refuse(new NewerSchemaError(version, sqliteSchema.version).message);
  }
}
