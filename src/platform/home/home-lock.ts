import { existsSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { createPrivateFolder } from '../files/create-private-folder.ts';
import { tryFileLock, type FileLock } from '../files/file-lock.ts';
import { removeUnfinished } from '../files/unfinished-files.ts';
import { openSqlite, sqliteResultCode, sqliteResultCodes } from '../sqlite.ts';
import { readServerRecord, removeServerRecord } from './server-record.ts';

/** Another server uses the home folder; the message names that server. */
export class HomeInUseError extends Error {
  override readonly name = 'HomeInUseError';
}

/** Time for which a starting server retries while another process checks the lock. */
const lockWaitMs = 200;

/**
 * Locks the home folder for this process. Creates it if it doesn't exist, and removes the record and the unfinished
 * files of a killed server. Keep a reference to the lock: it ends with `release` or with the process.
 *
 * @throws HomeInUseError if another server holds the lock; the error of the system, which names the file, if it can't
 *   be written.
 */
export async function acquireHomeLock(homeFolder: string): Promise<FileLock> {
  await createPrivateFolder(homeFolder);
  const lock = await takeLock(lockFile(homeFolder));
  if (lock === undefined) throw new HomeInUseError(await describeHolder(homeFolder));
  await removeServerRecord(homeFolder);
  await removeUnfinished(homeFolder);
  return lock;
}

async function takeLock(file: string): Promise<FileLock | undefined> {
  try {
    return tryFileLock(file, lockWaitMs);
  } catch (error) {
    // Opens the file first: unlike SQLite's errors, Node's name the file.
    await (await open(file, 'a')).close();
    throw error;
  }
}

/**
 * True if a server uses the home folder. Checks the lock, since a killed server leaves its record behind. Changes
 * nothing; a server that is starting waits for the check.
 *
 * @throws SQLite's error if the lock can't be checked.
 */
export async function isHomeInUse(homeFolder: string): Promise<boolean> {
  const file = lockFile(homeFolder);
  if (!existsSync(file)) return false;
  const connection = openSqlite(file, { isReadOnly: true });
  try {
    // Reading takes a shared lock, which fails while another process has the exclusive one.
    connection.prepare('select count(*) from sqlite_schema').get();
    return false;
  } catch (error) {
    if (sqliteResultCode(error) === sqliteResultCodes.busy) return true;
    throw error;
  } finally {
    connection.close();
  }
}

function lockFile(homeFolder: string): string {
  return join(homeFolder, 'server.lock');
}

async function describeHolder(homeFolder: string): Promise<string> {
  const record = await readServerRecord(homeFolder);
  const holder =
    record === undefined
      ? 'Another Hearth server'
      : `A Hearth server (process ${record.pid}, ${record.url})`;
  return `${holder} already uses the home folder ${homeFolder}. Stop it with "hearth server stop", or give this one another folder with --home.`;
}
