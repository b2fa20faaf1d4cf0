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

/** `server.log.1` to `server.log.3`, the newest first. */
const keptFiles = 3;

interface RotationOptions {
  /** Writes to `descriptor`. */
  readonly destination: DestinationStream;
  /** Open for appending. */
  readonly descriptor: number;
  readonly file: string;
  readonly maxBytes: number;
}

/**
 * Rotates the file behind a destination when it is larger than `maxBytes`. The file is copied and truncated, since other
 * processes write to it too: the descriptor stays valid. A failure, such as a full disk, is ignored until the file has
 * grown again.
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
        // There is no other place to report it.
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
      // It does not exist yet.
    }
  }
  // By its path: Windows does not truncate through a descriptor that appends.
  truncateSync(file, 0);
}
