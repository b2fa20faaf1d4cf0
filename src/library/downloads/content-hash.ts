import { createHash, type Hash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { FileChecksum } from '../hub/hub.ts';
import type { PartFile } from './part-file.ts';

/** Small enough not to block other requests while it is hashed. */
const readBytes = 512 * 1024;

/** If the gaps between writes are shorter, the transfer needs the whole CPU, and hashing waits. */
const minQuietMs = 4;

/**
 * Hashes a part file from its beginning while it is filled, since recent bytes are still in the page cache. No second
 * pass is needed at the end.
 *
 * @returns Hex, once the file is complete.
 * @throws The signal's reason when aborted.
 */
export async function hashWhileFilling(
  part: PartFile,
  algorithm: FileChecksum['algorithm'],
  signal: AbortSignal,
): Promise<string> {
  const hash = startHash(algorithm, part.sizeBytes);
  const buffer = Buffer.allocUnsafeSlow(Math.min(readBytes, Math.max(1, part.sizeBytes)));
  for (let position = 0; position < part.sizeBytes;) {
    signal.throwIfAborted();
    if (!part.isComplete && part.quietMs < minQuietMs) {
      await delay(minQuietMs, undefined, { signal }).catch(() => {});
      continue;
    }
    const readable = part.readableFrom(position);
    if (readable === 0) {
      await part.nextWrite(signal);
      continue;
    }
    const bytes = await part.read(buffer, position, readable);
    if (bytes.length === 0) throw new Error('the part file was truncated while it was read');
    hash.update(bytes);
    position += bytes.length;
  }
  return hash.digest('hex');
}

/** True if a file on disk has this size and hash. */
export async function matchesChecksum(
  path: string,
  sizeBytes: number,
  checksum: FileChecksum,
  signal: AbortSignal,
): Promise<boolean> {
  const file = await open(path, 'r');
  try {
    if ((await file.stat()).size !== sizeBytes) return false;
    const hash = startHash(checksum.algorithm, sizeBytes);
    const buffer = Buffer.allocUnsafeSlow(readBytes);
    for (;;) {
      signal.throwIfAborted();
      const { bytesRead } = await file.read(buffer, 0, buffer.length);
      if (bytesRead === 0) break;
      hash.update(buffer.subarray(0, bytesRead));
    }
    return hash.digest('hex') === checksum.hex.toLowerCase();
  } finally {
    await file.close();
  }
}

function startHash(algorithm: FileChecksum['algorithm'], sizeBytes: number): Hash {
  return algorithm === 'sha256'
    ? createHash('sha256')
    : createHash('sha1').update(`blob ${sizeBytes}\0`);
}
