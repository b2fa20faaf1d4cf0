import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import {
  openSqlite,
  sqliteResultCode,
  sqliteResultCodes,
  type SqliteConnection,
} from '../sqlite.ts';
import { readServerRecord, removeServerRecord } from './server-record.ts';

/** Another server works on the home folder; the message names it. */
export class HomeInUseError extends Error {
  override readonly name = 'HomeInUseError';
}

/** Two servers that start at once would refuse each other without a moment of patience. */
const lockWaitMs = 200;

interface HomeLock {
  /** Leaves the home folder to others. A second call does nothing. */
  release(): void;
}

/**
 * Makes the home folder this process's own, creating it where it doesn't exist, and removes the server
 * record of a server that was killed. Keep the lock reachable: it ends with `release` or with the process.
 *
 * The kernel holds the lock, as SQLite's exclusive lock on `server.lock`, so a kill leaves none behind. Never
 * open that file by other means: closing it would end the lock (fcntl(2) on POSIX locks).
 *
 * @throws HomeInUseError where another server holds it.
 */
export async function acquireHomeLock(homeFolder: string): Promise<HomeLock> {
  await mkdir(homeFolder, { recursive: true, mode: 0o700 });
  const connection = openSqlite(join(homeFolder, 'server.lock'), { lockWaitMs });
  if (!lockExclusively(connection)) {
    throw new HomeInUseError(await describeHolder(homeFolder));
  }
  await removeServerRecord(homeFolder);
  return {
    release: () => {
      if (connection.isOpen) connection.close();
    },
  };
}

/**
 * Whether a server works on the home folder; the lock says so, whatever a killed server left there.
 *
 * @throws as `acquireHomeLock` where the lock can't be asked.
 */
export async function isHomeInUse(homeFolder: string): Promise<boolean> {
  try {
    (await acquireHomeLock(homeFolder)).release();
    return false;
  } catch (error) {
    if (error instanceof HomeInUseError) return true;
    throw error;
  }
}

/** False, with the connection closed, where another connection has the lock. */
function lockExclusively(connection: SqliteConnection): boolean {
  try {
    connection.exec('begin exclusive');
    return true;
  } catch (error) {
    connection.close();
    if (sqliteResultCode(error) === sqliteResultCodes.busy) return false;
    throw error;
  }
}

async function describeHolder(homeFolder: string): Promise<string> {
  const record = await readServerRecord(homeFolder);
  const holder =
    record === undefined
      ? 'Another Hearth server'
      : `A Hearth server (process ${record.pid}, ${record.url})`;
  return `${holder} already uses the home folder ${homeFolder}. Stop it with "hearth server stop", or give this one another folder with --home.`;
}
