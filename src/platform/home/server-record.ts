import { chmod, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { errorCode } from '../../kernel/error-code.ts';
import { parseJson } from '../../kernel/parse-json.ts';
import { renameWithRetry } from '../files/rename-with-retry.ts';

const serverRecordSchema = z.object({
  pid: z.int().positive(),
  url: z.url({ protocol: /^https?$/ }),
  version: z.string(),
  started_at: z.iso.datetime(),
  /** Present if every request needs a token. */
  requires_token: z.literal(true).optional(),
  /** SHA-256 of the server's HTTPS certificate; commands of the home accept no other. */
  certificate_sha256: z.string().optional(),
});

/** Address and process of the server of a home folder. */
export type ServerRecord = z.infer<typeof serverRecordSchema>;

const recordFile = (homeFolder: string) => join(homeFolder, 'server.json');

/**
 * Writes `server.json` atomically; the caller must hold the home lock.
 *
 * @param mode Permissions of the file: by default, only its owner can read it.
 */
export async function writeServerRecord(
  homeFolder: string,
  record: ServerRecord,
  mode = 0o600,
): Promise<void> {
  const file = recordFile(homeFolder);
  await writeFile(`${file}.tmp`, `${JSON.stringify(record, null, 2)}\n`, { mode });
  // A service's umask removes other users' permissions from new files.
  await chmod(`${file}.tmp`, mode);
  await renameWithRetry(`${file}.tmp`, file);
}

/**
 * Reads the record of the running server, or of the last one if it was killed.
 *
 * @returns undefined if the file is missing or invalid.
 */
export async function readServerRecord(homeFolder: string): Promise<ServerRecord | undefined> {
  let text: string;
  try {
    text = await readFile(recordFile(homeFolder), 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
  return z.string().transform(parseJson).pipe(serverRecordSchema).safeParse(text).data;
}

/** Removes `server.json` if it exists; the caller must hold the home lock. */
export async function removeServerRecord(homeFolder: string): Promise<void> {
  await rm(recordFile(homeFolder), { force: true });
}
