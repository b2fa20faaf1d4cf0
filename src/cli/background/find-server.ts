import { isHomeInUse } from '../../platform/home/home-lock.ts';
import { readServerRecord, type ServerRecord } from '../../platform/home/server-record.ts';

/**
 * Finds the running server of a home folder. The home lock distinguishes it from a killed server, which
 * leaves its record behind and whose process id may belong to another program by now.
 *
 * @returns undefined if no server is running.
 */
export async function findServer(home: string): Promise<ServerRecord | undefined> {
  const record = await readServerRecord(home);
  if (record === undefined || !(await isHomeInUse(home))) return undefined;
  // A new server may have started since the first read and replaced the record of a killed one.
  return readServerRecord(home);
}
