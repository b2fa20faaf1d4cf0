import { rename } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { errorCode } from '../../kernel/error-code.ts';

/** On Windows, a virus scanner, an indexer or a reader may have the file open for a moment. */
const transientCodes: ReadonlySet<string | undefined> = new Set(['EPERM', 'EACCES', 'EBUSY']);
/** About two seconds in total. */
const delaysMs: readonly number[] = [10, 20, 50, 100, 200, 400, 600, 600];

interface RenameOptions {
  readonly platform?: NodeJS.Platform;
  readonly move?: (source: string, target: string) => Promise<void>;
}

/**
 * Renames a file or folder. On Windows, retries while another program has it open.
 *
 * @throws the last error of `rename`.
 */
export async function renameWithRetry(
  source: string,
  target: string,
  { platform = process.platform, move = rename }: RenameOptions = {},
): Promise<void> {
  for (const delayMs of platform === 'win32' ? delaysMs : []) {
    try {
      await move(source, target);
      return;
    } catch (error) {
      if (!transientCodes.has(errorCode(error))) throw error;
      await delay(delayMs);
    }
  }
  await move(source, target);
}
