import { mkdir, readFile, readlink, rm, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { errorCode } from '../../kernel/error-code.ts';
import { renameWithRetry } from './rename-with-retry.ts';
import { flushFile, flushFolder, removeUnfinished, unfinishedPath } from './unfinished-files.ts';

/** Reads a text file; undefined if there is no such file. */
export async function readIfPresent(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

const maxLinks = 40;

/**
 * Atomically replaces a file that may contain secrets. A power loss can't damage the file or undo the change
 * afterwards. Only the user can read the file. Keeps a symbolic link and replaces its target.
 */
export async function replacePrivateFile(file: string, content: string): Promise<void> {
  const target = await followLinks(file);
  const folder = dirname(target);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await removeUnfinished(folder);
  const temporary = unfinishedPath(folder);
  try {
    await writeFile(temporary, content, { mode: 0o600, flag: 'wx' });
    await flushFile(temporary);
    await renameWithRetry(temporary, target);
    await flushFolder(folder);
  } finally {
    await rm(temporary, { force: true });
  }
}

/** Returns the target of a symbolic link, which need not exist. */
async function followLinks(file: string): Promise<string> {
  let target = file;
  for (let links = 0; links < maxLinks; links += 1) {
    try {
      target = resolve(dirname(target), await readlink(target));
    } catch (error) {
      const code = errorCode(error);
      // EINVAL: not a link, which Windows reports as UNKNOWN.
      if (code === 'EINVAL' || code === 'ENOENT' || code === 'UNKNOWN') return target;
      throw error;
    }
  }
  throw new Error(`${file} is a circle of symbolic links.`);
}
