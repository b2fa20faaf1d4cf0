import { readFile } from 'node:fs/promises';

/** Resident memory of a process in bytes, from Linux's `/proc`; undefined elsewhere or when it has gone. */
export async function residentBytes(pid: number): Promise<number | undefined> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  const kibibytes = /^VmRSS:\s+(\d+) kB$/mu.exec(status)?.[1];
  return kibibytes === undefined ? undefined : Number(kibibytes) * 1024;
}
