import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { sharedRuntimesFolder } from './shared-runtimes.ts';

/** Errors for a home that has runtimes already, and for one that does not exist. */
const ignored = new Set(['EEXIST', 'ENOENT', 'ENOTDIR']);

/** Gives a home folder the runtimes that all tests share, or the ones of another folder. */
export function linkRuntimes(home: string, folder = sharedRuntimesFolder): void {
  try {
    // Windows makes links to folders without privileges only as junctions.
    symlinkSync(folder, join(home, 'runtimes'), 'junction');
  } catch (error) {
    if (!ignored.has((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
}
