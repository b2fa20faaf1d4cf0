import { readFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';

/** Physical cores that this process may use, minus one for other work; at least 1. */
export async function defaultThreads(): Promise<number> {
  const cpuInfo = await readFile('/proc/cpuinfo', 'utf8').catch(() => '');
  const usable = availableParallelism();
  const physical = countPhysicalCores(cpuInfo) ?? usable;
  return Math.max(1, Math.min(physical, usable) - 1);
}

/** Counts distinct cores in Linux's `/proc/cpuinfo`; undefined if it does not list them. */
export function countPhysicalCores(cpuInfo: string): number | undefined {
  const cores = new Set<string>();
  let socketId = '0';
  for (const line of cpuInfo.split('\n')) {
    const [key, value = ''] = line.split(':').map((part) => part.trim());
    if (key === 'physical id') socketId = value;
    if (key === 'core id') cores.add(`${socketId}/${value}`);
  }
  return cores.size === 0 ? undefined : cores.size;
}
