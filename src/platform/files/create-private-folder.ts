import { mkdir } from 'node:fs/promises';
import { errorCode } from '../../kernel/error-code.ts';

/**
 * Creates a folder that only its owner can open, with its parents, if it does not exist.
 *
 * @throws the error of the system, such as EROFS.
 */
export async function createPrivateFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
    // Node reports a read-only file system as ENOENT if it is to create the parents, too.
    await mkdir(folder, { mode: 0o700 });
  }
}
