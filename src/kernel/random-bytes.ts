import { randomBytes as randomBytesOfSystem } from 'node:crypto';

const poolBytes = 4096;
let pool = Buffer.alloc(0);

/**
 * Returns cryptographically random bytes for an id. They are taken from a pool, since one system call per id would take longer
 * than the rest of it. Secrets come from `node:crypto` directly, so that they are not in memory before they exist.
 */
export function randomBytes(size: number): Buffer {
  if (pool.length < size) pool = randomBytesOfSystem(Math.max(size, poolBytes));
  const bytes = pool.subarray(0, size);
  pool = pool.subarray(size);
  return bytes;
}
