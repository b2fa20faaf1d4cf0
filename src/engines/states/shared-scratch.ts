import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { lstat, mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { tryFileLock } from '../../platform/files/file-lock.ts';

/** Folders for states in `/dev/shm`, which all users and servers of the machine share. */
const namePattern = /^hearth-[0-9a-f]{16}(?:\.[0-9a-f]{12})?$/;
const lockName = 'lock';

/** A folder that only this user can open, with a lock that ends with this process. */
export interface SharedScratch {
  remove(): Promise<void>;
}

/**
 * Creates a folder in place of an earlier server's with the same home.
 * @param folder Its name is `hearth-` and 16 hex digits.
 * @throws Error if the folder belongs to another user.
 */
export async function claimShared(folder: string): Promise<SharedScratch> {
  // It gets its name with the lock in it, so that no other server takes it for an abandoned one.
  const fresh = `${folder}.${randomBytes(6).toString('hex')}`;
  await mkdir(fresh, { mode: 0o700 });
  try {
    const lock = tryFileLock(join(fresh, lockName));
    if (lock === undefined) throw new Error(`${fresh} is in use`);
    await rm(folder, { recursive: true, force: true });
    await rename(fresh, folder);
    return {
      remove: async () => {
        await rm(folder, { recursive: true, force: true });
        lock.release();
      },
    };
  } catch (error) {
    await rm(fresh, { recursive: true, force: true });
    throw error;
  }
}

/**
 * Removes the folders of servers of this user that were killed, of any home.
 *
 * @returns their number.
 */
export async function removeAbandoned(parent: string): Promise<number> {
  let count = 0;
  for (const entry of await readdir(parent, { withFileTypes: true })) {
    if (!entry.isDirectory() || !namePattern.test(entry.name)) continue;
    if (await removeIfAbandoned(join(parent, entry.name)).catch(() => false)) count += 1;
  }
  return count;
}

async function removeIfAbandoned(folder: string): Promise<boolean> {
  const { uid } = await lstat(folder);
  const file = join(folder, lockName);
  // Without a lock it is not known whether a server uses it.
  if (uid !== process.getuid?.() || !existsSync(file)) return false;
  const lock = tryFileLock(file);
  if (lock === undefined) return false;
  try {
    await rm(folder, { recursive: true, force: true });
    return true;
  } finally {
    lock.release();
  }
}
