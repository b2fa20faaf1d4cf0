import { readFile } from 'node:fs/promises';

/**
 * Resident memory of a process in bytes, from Linux's `/proc`; undefined elsewhere or when it has gone.
 *
 * @param part `RssAnon`: without what is a file's, such as weights that are read as they are needed.
 */
export async function residentBytes(
  pid: number,
  part: 'VmRSS' | 'RssAnon' = 'VmRSS',
): Promise<number | undefined> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  const kibibytes = new RegExp(`^${part}:\\s+(\\d+) kB$`, 'mu').exec(status)?.[1];
  return kibibytes === undefined ? undefined : Number(kibibytes) * 1024;
}
