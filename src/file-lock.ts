import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import {
  openSqlite,
  sqliteResultCode,
  sqliteResultCodes,
  type SqliteConnection,
} from './sqlite.ts';

const retryMs = 20;
const maxWaitMs = 10_000;

/**
 * Runs `work` while no other process or caller does so for a file of the same folder. The kernel holds the lock (SQLite's
 * exclusive lock on `edit.lock`), so it ends with a killed process.
 *
 * @throws Error if the lock is taken for 10 seconds.
 */
export async function withFileLock<Result>(
  file: string,
  work: () => Promise<Result>,
): Promise<Result> {
  const folder = dirname(file);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const connection = openSqlite(join(folder, 'edit.lock'), { lockWaitMs: 0 });
  try {
    const deadline = performance.now() + maxWaitMs;
    while (!tryLock(connection)) {
      if (performance.now() > deadline) {
        throw new Error(`Another program has been changing ${file} for ${maxWaitMs / 1000} s.`);
      }
      await delay(retryMs);
    }
    return await work();
  } finally {
    connection.close();
  }
}

function tryLock(connection: SqliteConnection): boolean {
  try {
    connection.exec('begin exclusive');
    return true;
  } catch (error) {
    if (sqliteResultCode(error) === sqliteResultCodes.busy) return false;
    throw error;
  }
}
