import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A file of the home folder, with functions to change it to a number and to read the number. */
interface NumberedFile {
  readonly name: string;
  readonly method: 'PATCH' | 'PUT';
  readonly path: string;
  readonly body: (number: number) => object;
  readonly pattern: RegExp;
}

/** Files that Hearth replaces atomically. */
export const numberedFiles: readonly NumberedFile[] = [
  {
    name: 'config.json',
    method: 'PATCH',
    path: '/api/v1/settings',
    body: (number) => ({ 'models.ttlSeconds': number }),
    pattern: /"ttlSeconds": (\d+)/,
  },
  {
    name: 'models.json',
    method: 'PUT',
    path: '/api/v1/model-settings/hearth/starter-chat',
    body: (number) => ({ load: { ttl: number } }),
    pattern: /"ttlSeconds": (\d+)/,
  },
  {
    name: 'mcp.json',
    method: 'PUT',
    path: '/api/v1/mcp/servers/counter',
    body: (number) => ({ command: 'node', args: [String(number)] }),
    pattern: /"args": \[\s*"(\d+)"/,
  },
];

/** Reads the number; 0 if there is no file. @throws Error if the file is incomplete. */
export async function readNumber(home: string, { name, pattern }: NumberedFile): Promise<number> {
  const text = await readFile(join(home, name), 'utf8').catch(() => undefined);
  if (text === undefined) return 0;
  const number = pattern.exec(text)?.[1];
  try {
    JSON.parse(text);
  } catch {
    throw new Error(`${name} is not whole: ${JSON.stringify(text.slice(0, 200))}`);
  }
  if (number === undefined) throw new Error(`${name} has no number: ${text}`);
  return Number(number);
}
