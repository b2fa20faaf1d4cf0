import { link, lstat, rename } from 'node:fs/promises';
import { errorCode } from '../error-code.ts';

/**
 * Gives a complete file its place on the same disk, never over another file. The source may keep its own name.
 *
 * @returns false where there is a file already.
 */
export async function linkOrRename(source: string, target: string): Promise<boolean> {
  try {
    await link(source, target);
  } catch (error) {
    if (errorCode(error) === 'EEXIST' || (await exists(target))) return false;
    // Some file systems have no hard links; there the look and the rename are two steps.
    await rename(source, target);
  }
  return true;
}

/** Whether there is anything of that name, a link that leads nowhere included. */
export async function exists(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => null)) !== null;
}
