import { stat } from 'node:fs/promises';

/** Reads size, modification time and inode of files, without their contents; undefined if a file can't be read. */
export async function fileFingerprint(paths: readonly string[]): Promise<string | undefined> {
  const found: string[] = [];
  try {
    for (const path of paths) {
      const { size, mtimeNs, ino } = await stat(path, { bigint: true });
      found.push(`${size}:${mtimeNs}:${ino}`);
    }
    return found.join(' ');
  } catch {
    return undefined;
  }
}
