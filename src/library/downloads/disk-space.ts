import { mkdir, readdir, stat } from 'node:fs/promises';
import { HearthError } from '../../kernel/errors/errors.ts';
import { join } from 'node:path';
import { freeBytesOf } from '../../platform/files/free-bytes.ts';
import { stagingFolder } from './staging.ts';

interface SpaceDemand {
  readonly freeBytes: number;
  readonly neededBytes: number;
  /** Bytes that other running downloads still have to write. */
  readonly promisedBytes: number;
}

/** The free space on the disk of the models, shared by all downloads. */
export class DiskSpace {
  readonly #folder: string;
  readonly #readFreeBytes: (folder: string) => Promise<number>;

  /** @param read Returns the free bytes on the disk of a folder; defaults to the system's value. */
  constructor(folder: string, read = freeBytesOf) {
    this.#folder = folder;
    this.#readFreeBytes = read;
  }

  /** @throws HearthError `insufficient_disk`. */
  async assertRoom(neededBytes: number, promisedBytes: number): Promise<void> {
    const demand = await this.#demand(neededBytes, promisedBytes);
    if (neededBytes + promisedBytes > demand.freeBytes) throw insufficientDisk(demand);
  }

  /** The error if the disk becomes full during a download. */
  async shortage(neededBytes: number, promisedBytes: number): Promise<HearthError> {
    return insufficientDisk(await this.#demand(neededBytes, promisedBytes));
  }

  async #demand(neededBytes: number, promisedBytes: number): Promise<SpaceDemand> {
    // The user may have moved the folder while the server runs.
    await mkdir(this.#folder, { recursive: true });
    return { freeBytes: await this.#readFreeBytes(this.#folder), neededBytes, promisedBytes };
  }
}

/** The message names the needed and the free bytes. */
function insufficientDisk(demand: SpaceDemand): HearthError {
  const { freeBytes, neededBytes, promisedBytes } = demand;
  const promised =
    promisedBytes > 0 ? `, of which other downloads still need ${formatBytes(promisedBytes)}` : '';
  return new HearthError(
    'insufficient_disk',
    `The download needs ${formatBytes(neededBytes)} more, and the disk of the models has ` +
      `${formatBytes(freeBytes)} free${promised}. Make room and ask again; it continues where it stopped.`,
  );
}

/** Such as `4.1 GB (4,100,000,000 bytes)`. */
function formatBytes(bytes: number): string {
  const exact = `${bytes.toLocaleString('en-US')} bytes`;
  return bytes < 1e6 ? exact : `${(bytes / 1e9).toFixed(bytes < 1e8 ? 3 : 1)} GB (${exact})`;
}

const bytesPerBlock = 512;

/**
 * Bytes of the job's part files that the file system has fully allocated. NTFS and exFAT have no sparse files by
 * default, so a part file takes its whole size from the start.
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
