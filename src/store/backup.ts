import { chmod, rm } from 'node:fs/promises';
import { closeSync, openSync } from 'node:fs';
import type { SqliteConnection } from '../platform/sqlite.ts';
import { renameWithRetry } from '../platform/files/rename-with-retry.ts';

/**
 * Copies a database that may be in use to a file that only its owner can read. A file with this name is replaced once
 * the copy is complete.
 *
 * @throws SQLite's error, such as for a full disk; no copy is left then.
 */
export async function backUp(connection: SqliteConnection, target: string): Promise<void> {
  const part = `${target}.part`;
  await rm(part, { force: true });
  // SQLite fills an empty file, and keeps its mode.
  closeSync(openSync(part, 'wx', 0o600));
  try {
    connection.prepare('vacuum into ?').run(part);
    await chmod(part, 0o600);
    await renameWithRetry(part, target);
  } finally {
    await rm(part, { force: true });
  }
}
