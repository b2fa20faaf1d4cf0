import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { HearthError } from '../kernel/errors/errors.ts';

/** A commit of a short response takes about 40 KiB of the write-ahead log. */
const minBytes = 256 * 1024;

/** Bytes that this user may still write to the disk of a file. */
export async function freeDiskBytes(file: string): Promise<number> {
  const { bavail, bsize } = await statfs(dirname(file));
  return bavail * bsize;
}

/** @throws HearthError `store_unavailable` if the disk has no room for another response. */
export async function assertDiskRoom(file: string): Promise<void> {
  const freeBytes = await freeDiskBytes(file);
  if (freeBytes >= minBytes) return;
  throw new HearthError(
    'store_unavailable',
    `The disk of the database is full: ${freeBytes} bytes are free. Nothing can be stored until there is room.`,
  );
}
