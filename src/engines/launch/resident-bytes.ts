import { readFile } from 'node:fs/promises';

/**
 * Resident memory of a process in bytes, from Linux's `/proc`; undefined on other systems and if the process has ended.
 *
 * @param part `RssAnon`: without mapped files, such as weights.
 */
export async function residentBytes(
  pid: number,
  part: 'VmRSS' | 'RssAnon' = 'VmRSS',
): Promise<number | undefined> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  const kibibytes = new RegExp(`^${part}:\\s+(\\d+) kB$`, 'mu').exec(status)?.[1];
  return kibibytes === undefined ? undefined : Number(kibibytes) * 1024;
}
