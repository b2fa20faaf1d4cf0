import {
  chmodSync,
  constants,
  copyFileSync,
  fstatSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
} from 'node:fs';
import type { DestinationStream } from 'pino';

/** Number of old files: `server.log.1`, the newest, to `server.log.3`. */
const keptFiles = 3;

interface RotationOptions {
  /** A destination that writes to `descriptor`. */
  readonly destination: DestinationStream;
  /** Descriptor of the file, open for appending. */
  readonly descriptor: number;
  readonly file: string;
  readonly maxBytes: number;
}

/**
 * Rotates the file behind a destination when it exceeds `maxBytes`. Copies and truncates the file, so that the
 * descriptor stays valid: other processes write to the file too. After a failure, such as a full disk, tries again only
 * when the file has grown further.
 */
export function withRotation(options: RotationOptions): DestinationStream {
  const { destination, descriptor, file, maxBytes } = options;
  const checkEvery = Math.max(1, Math.floor(maxBytes / 20));
  let uncheckedBytes = checkEvery;
  return {
    write(line) {
      destination.write(line);
      uncheckedBytes += line.length;
      if (uncheckedBytes < checkEvery) return;
      uncheckedBytes = 0;
      try {
        const isTooLarge = fstatSync(descriptor).size > maxBytes;
        if (isTooLarge && isOpenOn(descriptor, file)) rotate(file);
      } catch {
        // The failure can't be reported elsewhere.
      }
    },
  };
}

/** True if a descriptor is open on this very file. */
export function isOpenOn(descriptor: number, file: string): boolean {
  try {
    const own = fstatSync(descriptor, { bigint: true });
    const named = statSync(file, { bigint: true });
    return own.isFile() && own.ino === named.ino && own.dev === named.dev;
  } catch {
    return false;
  }
}

function rotate(file: string): void {
  const incomplete = `${file}.0`;
  try {
    copyFileSync(file, incomplete, constants.COPYFILE_FICLONE);
    chmodSync(incomplete, 0o600);
  } catch (error) {
    rmSync(incomplete, { force: true });
    throw error;
  }
  rmSync(`${file}.${keptFiles}`, { force: true });
  for (let number = keptFiles - 1; number >= 0; number -= 1) {
    try {
      renameSync(`${file}.${number}`, `${file}.${number + 1}`);
    } catch {
      // The file does not exist yet.
    }
  }
  // By path, since Windows can't truncate through a descriptor in append mode.
  truncateSync(file, 0);
}
