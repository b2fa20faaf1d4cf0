import { readFileSync } from 'node:fs';
import { freemem } from 'node:os';

/** Bytes that a new process can use without swapping, within the memory limit of the container. */
export function availableMemoryBytes(): number {
  const free = operatingSystemBytes();
  const limit = process.constrainedMemory();
  return limit > 0 && limit < free ? Math.min(free, process.availableMemory()) : free;
}

/** Linux includes reclaimable caches in `MemAvailable`; other systems report free memory. */
function operatingSystemBytes(): number {
  if (process.platform !== 'linux') return freemem();
  const text = readFileSync('/proc/meminfo', 'utf8');
  const kibibytes = /^MemAvailable:\s+(\d+) kB$/m.exec(text)?.[1];
  return kibibytes === undefined ? freemem() : Number(kibibytes) * 1024;
}
