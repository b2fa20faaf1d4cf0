import { mkdir, statfs } from 'node:fs/promises';
import { HearthError } from '../contract/errors.ts';

/** Bytes that this process may still write on the disk of a folder. */
async function readFreeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}

interface SpaceDemand {
  readonly freeBytes: number;
  readonly neededBytes: number;
  /** What other downloads that run have yet to write there. */
  readonly promisedBytes: number;
}

/** The disk of the models, seen by downloads that are to fit on it together. */
export class DiskSpace {
  readonly #folder: string;
  readonly #readFreeBytes: (folder: string) => Promise<number>;

  /** @param read Bytes free on the disk of a folder; asks the system unless given. */
  constructor(folder: string, read = readFreeBytes) {
    this.#folder = folder;
    this.#readFreeBytes = read;
  }

  /** @throws HearthError `insufficient_disk`. */
  async assertRoom(neededBytes: number, promisedBytes: number): Promise<void> {
    const demand = await this.#demand(neededBytes, promisedBytes);
    if (neededBytes + promisedBytes > demand.freeBytes) throw insufficientDisk(demand);
  }

  /** For a disk that filled up although there was room at first. */
  async shortage(neededBytes: number, promisedBytes: number): Promise<HearthError> {
    return insufficientDisk(await this.#demand(neededBytes, promisedBytes));
  }

  async #demand(neededBytes: number, promisedBytes: number): Promise<SpaceDemand> {
    // Whoever moved the folder away while the server runs gets a new one.
    await mkdir(this.#folder, { recursive: true });
    return { freeBytes: await this.#readFreeBytes(this.#folder), neededBytes, promisedBytes };
  }
}

/** Says both numbers: what is needed and what there is. */
function insufficientDisk(demand: SpaceDemand): HearthError {
  const { freeBytes, neededBytes, promisedBytes } = demand;
  const promised =
    promisedBytes > 0 ? `, of which other downloads still need ${formatBytes(promisedBytes)}` : '';
  return new HearthError(
    'insufficient_disk',
    `The download needs ${formatBytes(neededBytes)} more, and the disk of the models has ` +
      `${formatBytes(freeBytes)} free${promised}. Make room and ask again; it goes on where it stopped.`,
  );
}

/** Such as `4.1 GB (4,100,000,000 bytes)`. */
function formatBytes(bytes: number): string {
  const exact = `${bytes.toLocaleString('en-US')} bytes`;
  return bytes < 1e6 ? exact : `${(bytes / 1e9).toFixed(bytes < 1e8 ? 3 : 1)} GB (${exact})`;
}
