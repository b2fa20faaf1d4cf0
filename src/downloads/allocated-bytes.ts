import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { stagingFolder } from './staging.ts';

const bytesPerBlock = 512;

/**
 * Bytes that the part files of a job take on the disk. NTFS and exFAT have no sparse files by default: a part file takes
 * its whole size from the start.
 */
export async function allocatedBytes(modelsFolder: string, jobId: string): Promise<number> {
  const folder = stagingFolder(modelsFolder, jobId);
  const names = await readdir(folder).catch((): string[] => []);
  let bytes = 0;
  for (const name of names.filter((each) => each.endsWith('.part'))) {
    const found = await stat(join(folder, name)).catch(() => undefined);
    if (found !== undefined) bytes += Math.min(found.size, found.blocks * bytesPerBlock);
  }
  return bytes;
}
