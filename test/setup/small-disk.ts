import { execFileSync } from 'node:child_process';
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { useTemporaryFolder } from './temporary-folder.ts';

export interface SmallDisk {
  /** Path of its folder, available after the first `beforeAll`. */
  readonly path: string;
  /** False if it can't be mounted here; then the tests are skipped. */
  readonly isMounted: boolean;
  /** Writes until the disk is full. */
  fill(): Promise<void>;
  /** Removes what `fill` wrote. */
  free(): Promise<void>;
}

/** A disk in memory for the tests of a file or a `describe`. If the user may not mount it, the tests are skipped. */
export function useSmallDisk(sizeBytes: number): SmallDisk {
  const disk = useTemporaryFolder();
  const filler = (): string => join(disk.path, 'filler');
  let cannotMount = '';
  beforeAll(() => {
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${sizeBytes}`, 'tmpfs', disk.path], {
        stdio: 'pipe',
      });
    } catch (error) {
      cannotMount = `a small disk can't be mounted here: ${String(error).trim()}`;
    }
  });
  afterAll(() => {
    if (cannotMount === '') execFileSync('umount', [disk.path]);
  });
  beforeEach(({ skip }) => skip(cannotMount !== '', cannotMount));
  return {
    get path() {
      return disk.path;
    },
    get isMounted() {
      return cannotMount === '';
    },
    fill: () => fill(filler(), sizeBytes),
    free: () => rm(filler()),
  };
}

async function fill(path: string, sizeBytes: number): Promise<void> {
  const file = await open(path, 'w');
  try {
    for (let written = 0; written <= sizeBytes; written += 4096) {
      await file.write(Buffer.alloc(4096));
    }
    throw new Error('The disk takes more than it has.');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error;
  } finally {
    await file.close();
  }
}
