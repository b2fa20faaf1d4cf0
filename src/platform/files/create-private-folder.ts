import { mkdir } from 'node:fs/promises';
import { errorCode } from '../../kernel/error-code.ts';

/**
 * Creates a folder that only its owner can open, and its parents; does nothing if it exists.
 *
 * @throws the error of the system, such as EROFS.
 */
export async function createPrivateFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
    // With `recursive`, Node reports a read-only file system as ENOENT.
    await mkdir(folder, { mode: 0o700 });
  }
}
