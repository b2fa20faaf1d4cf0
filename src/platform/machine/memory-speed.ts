import { setImmediate } from 'node:timers/promises';

/** A copy of this size blocks the server for one to two milliseconds. */
const blockBytes = 8 * 1024 * 1024;
/** The blocks together are larger than the caches of most processors. */
const blocks = 12;

let measured: Promise<number> | undefined;

/** Bytes per second that one core reads from and writes to the memory, measured once. */
export function memoryBytesPerSecond(): Promise<number> {
  measured ??= measure();
  return measured;
}

async function measure(): Promise<number> {
  // Filled, since the system provides untouched memory only at the first write.
  const source = Buffer.alloc(blocks * blockBytes, 1);
  const target = Buffer.alloc(blockBytes, 1);
  let shortestMs = Number.POSITIVE_INFINITY;
  for (let start = 0; start < source.length; start += blockBytes) {
    const startedAt = performance.now();
    source.copy(target, 0, start, start + blockBytes);
    shortestMs = Math.min(shortestMs, performance.now() - startedAt);
    await setImmediate();
  }
  return (2 * blockBytes * 1000) / shortestMs;
}
