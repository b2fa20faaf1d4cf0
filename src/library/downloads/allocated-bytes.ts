import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { stagingFolder } from './staging.ts';

const bytesPerBlock = 512;

/**
 * Bytes of the part files of a job that were allocated as a whole. NTFS and exFAT have no sparse files by default: there a
 * part file takes its whole size from the start.
 */
export async function allocatedBytes(modelsFolder: string, jobId: string): Promise<number> {
  const folder = stagingFolder(modelsFolder, jobId);
  const names = await readdir(folder).catch((): string[] => []);
  let bytes = 0;
  for (const name of names.filter((each) => each.endsWith('.part'))) {
    const found = await stat(join(folder, name)).catch(() => undefined);
    if (found !== undefined && found.blocks * bytesPerBlock >= found.size) bytes += found.size;
  }
  return bytes;
}
