import { statfs } from 'node:fs/promises';

/** Bytes on a folder's disk that are available to this user. */
export async function freeBytesOf(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}
