import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { lstat, mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { tryFileLock } from '../../platform/files/file-lock.ts';

/** Names of folders for states in `/dev/shm`, which all users and servers of the machine share. */
const namePattern = /^hearth-[0-9a-f]{16}(?:\.[0-9a-f]{12})?$/;
const lockName = 'lock';

/** A folder that only this user can open. It has a lock, which this process holds until it ends. */
export interface SharedScratch {
  remove(): Promise<void>;
}

/**
 * Creates a folder. Replaces the folder of an earlier server with the same home.
 * @param folder Path; its last part must be `hearth-` and 16 hex digits.
 * @throws Error if the folder belongs to another user.
 */
export async function claimShared(folder: string): Promise<SharedScratch> {
  // The folder is locked before it gets its final name, so that no other server considers it abandoned.
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
 * Removes the folders of this user's servers that were killed, whatever their home folder.
 *
 * @returns The number of removed folders.
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
  // Without a lock, a server may still use the folder.
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
