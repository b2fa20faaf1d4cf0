import { createHash, randomBytes } from 'node:crypto';
import { mkdir, rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from '../../kernel/logger.ts';
import { claimShared, removeAbandoned } from './shared-scratch.ts';

/** The folder in which engines write and read states. */
export interface ScratchFolder {
  /** True if the folder's files are in memory, so that they are never written to disk. */
  readonly isMemory: boolean;
  /** Creates a folder for one engine, which only this user can open. */
  create(): Promise<string>;
  /** Bytes that new files may take. */
  freeBytes(): Promise<number>;
  remove(): Promise<void>;
}

/** `f_type` of tmpfs (Linux, `statfs(2)`). */
const tmpfsType = 0x01_02_19_94;
/** Minimum free space for using memory. Docker's default of 64 MiB holds only a few hundred tokens of a large model. */
const minMemoryBytes = 256 * 1024 * 1024;
/** Share of the free space that is left to other programs. */
const spareShare = 0.2;

interface ScratchOptions {
  /** The server's home folder, which no other server uses. */
  readonly home: string;
  readonly logger: Logger;
  /** Folders of in-memory file systems. */
  readonly memoryFolders?: readonly string[];
}

/**
 * Opens the folder for states in use: on an in-memory file system if there is one with enough room, else in the home
 * folder. Removes files that killed servers left there.
 */
export async function openScratchFolder({
  home,
  logger,
  memoryFolders = process.platform === 'linux' ? ['/dev/shm'] : [],
}: ScratchOptions): Promise<ScratchFolder> {
  const name = `hearth-${createHash('sha256').update(home).digest('hex').slice(0, 16)}`;
  for (const parent of memoryFolders) {
    const abandoned = await removeAbandoned(parent).catch(() => 0);
    if (abandoned > 0) logger.info({ parent, abandoned }, 'removed states of killed servers');
    if (!(await hasMemoryRoom(parent))) continue;
    const folder = join(parent, name);
    try {
      const claimed = await claimShared(folder);
      return { ...scratchFolder(folder, true), remove: () => claimed.remove() };
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      logger.warn({ folder, reason }, 'states of slots are not kept in memory');
    }
  }
  const folder = join(home, 'warm-state', 'scratch');
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true });
  await remove();
  await mkdir(folder, { recursive: true, mode: 0o700 });
  return { ...scratchFolder(folder, false), remove };
}

async function hasMemoryRoom(parent: string): Promise<boolean> {
  const stats = await statfs(parent).catch(() => undefined);
  return (
    stats !== undefined && stats.type === tmpfsType && stats.bavail * stats.bsize >= minMemoryBytes
  );
}

function scratchFolder(folder: string, isMemory: boolean): Omit<ScratchFolder, 'remove'> {
  return {
    isMemory,
    create: async () => {
      const path = join(folder, randomBytes(6).toString('hex'));
      await mkdir(path, { mode: 0o700 });
      return path;
    },
    freeBytes: async () => {
      const { bavail, bsize } = await statfs(folder);
      return bavail * bsize * (1 - spareShare);
    },
  };
}
