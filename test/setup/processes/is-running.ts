import { readFile } from 'node:fs/promises';

/** True if a process runs; one that has ended but was not waited for does not. */
export async function isRunning(pid: number): Promise<boolean> {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  return !stat.includes(') Z ');
}
