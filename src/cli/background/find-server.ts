import { isHomeInUse } from '../../home/home-lock.ts';
import { readServerRecord, type ServerRecord } from '../../home/server-record.ts';

/**
 * The server that runs on a home folder; undefined where none does. The home lock tells it apart from one
 * that was killed, whose record stays behind and whose process id may be another program's by now.
 */
export async function findServer(home: string): Promise<ServerRecord | undefined> {
  const record = await readServerRecord(home);
  if (record === undefined || !(await isHomeInUse(home))) return undefined;
  // The first may have been the record of a killed server on whose folder a new one has just started.
  return readServerRecord(home);
}
