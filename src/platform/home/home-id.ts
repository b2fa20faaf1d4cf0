import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '../../kernel/error-code.ts';

const idFile = (homeFolder: string) => join(homeFolder, 'home-id');
const idPattern = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * Reads the random id of a home folder. The server of the home publishes it, so that commands do not talk to
 * the server of another home.
 *
 * @returns undefined if no server has used the home folder yet.
 */
export async function readHomeId(homeFolder: string): Promise<string | undefined> {
  try {
    const text = (await readFile(idFile(homeFolder), 'utf8')).trim();
    return idPattern.test(text) ? text : undefined;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Reads the id of a home folder, or creates it. Only the holder of the home lock may call this. */
export async function ensureHomeId(homeFolder: string): Promise<string> {
  const existing = await readHomeId(homeFolder);
  if (existing !== undefined) return existing;
  const id = crypto.randomUUID();
  await writeFile(idFile(homeFolder), `${id}\n`, { mode: 0o600 });
  return id;
}
