import { readFile, writeFile } from 'node:fs/promises';

async function readStatus(pid: number, field: 'VmRSS' | 'VmHWM'): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, 'mu').exec(status)?.[1]) * 1024;
}

/** Maximum growth of a process's resident memory during `work`, in bytes. Linux only. */
export async function memoryGrowth(pid: number, work: () => Promise<unknown>): Promise<number> {
  // Resets the recorded peak to the present size.
  await writeFile(`/proc/${pid}/clear_refs`, '5');
  const before = await readStatus(pid, 'VmRSS');
  await work();
  return (await readStatus(pid, 'VmHWM')) - before;
}
