import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '../../kernel/error-code.ts';
import { renameWithRetry } from '../files/rename-with-retry.ts';

const tokenFile = (homeFolder: string) => join(homeFolder, 'owner-token');

/**
 * Writes the token that gives the home owner's commands full access. Only the owner can read the file. Each start of
 * the server writes a new token, so an old one is worthless.
 */
export async function writeOwnerToken(homeFolder: string, token: string): Promise<void> {
  const file = tokenFile(homeFolder);
  await rm(`${file}.tmp`, { force: true });
  await writeFile(`${file}.tmp`, `${token}\n`, { mode: 0o600, flag: 'wx' });
  await renameWithRetry(`${file}.tmp`, file);
}

/** @returns undefined if there is no token, or this user may not read it. */
export async function readOwnerToken(homeFolder: string): Promise<string | undefined> {
  try {
    return (await readFile(tokenFile(homeFolder), 'utf8')).trim();
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOENT' || code === 'EACCES' || code === 'EPERM') return undefined;
    throw error;
  }
}

/** Removes the token if there is one. */
export async function removeOwnerToken(homeFolder: string): Promise<void> {
  await rm(tokenFile(homeFolder), { force: true });
}
