import { link, lstat } from 'node:fs/promises';
import { errorCode } from '../kernel/error-code.ts';
import { renameWithRetry } from '../platform/files/rename-with-retry.ts';

/**
 * Moves a complete file on the same disk without replacing another file. The source may remain.
 *
 * @returns False if a file exists there.
 */
export async function linkOrRename(source: string, target: string): Promise<boolean> {
  try {
    await link(source, target);
  } catch (error) {
    if (errorCode(error) === 'EEXIST' || (await exists(target))) return false;
    // Without hard links, another process may create the target between the check and the rename.
    await renameWithRetry(source, target);
  }
  return true;
}

/** True if the path exists, including as a broken link. */
export async function exists(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => null)) !== null;
}
