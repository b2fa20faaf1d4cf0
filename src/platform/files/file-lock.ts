import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createPrivateFolder } from './create-private-folder.ts';
import { openSqlite, sqliteResultCode, sqliteResultCodes } from '../sqlite.ts';

const retryMs = 20;
const maxWaitMs = 10_000;

export interface FileLock {
  /** Releases the lock. A second call does nothing. */
  release(): void;
}

/**
 * Locks a file that is used only as a lock; creates it if needed. The kernel holds the lock (SQLite's exclusive lock),
 * so it is released even if the process is killed. Never open the file by other means: closing it would release the
 * lock (fcntl(2) on POSIX locks).
 *
 * @param lockWaitMs Time to wait for another process, which blocks the event loop.
 * @returns undefined if another process or caller has the lock.
 */
export function tryFileLock(file: string, lockWaitMs = 0): FileLock | undefined {
  const connection = openSqlite(file, { lockWaitMs });
  try {
    connection.exec('begin exclusive');
    return {
      release: () => {
        if (connection.isOpen) connection.close();
      },
    };
  } catch (error) {
    connection.close();
    if (sqliteResultCode(error) === sqliteResultCodes.busy) return undefined;
    throw error;
  }
}

/**
 * Runs `work` while it holds the lock file `edit.lock` in the file's folder, so that edits of the folder's files run
 * one at a time.
 *
 * @throws Error if the lock is taken for 10 seconds.
 */
export async function withFileLock<Result>(
  file: string,
  work: () => Promise<Result>,
): Promise<Result> {
  const folder = dirname(file);
  await createPrivateFolder(folder);
  const deadline = performance.now() + maxWaitMs;
  let lock: FileLock | undefined;
  while ((lock = tryFileLock(join(folder, 'edit.lock'))) === undefined) {
    if (performance.now() > deadline) {
      throw new Error(`Another program has been changing ${file} for ${maxWaitMs / 1000} s.`);
    }
    await delay(retryMs);
  }
  try {
    return await work();
  } finally {
    lock.release();
  }
}
