import type { Dirent } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '../error-code.ts';
import { isPrintable } from './printable-text.ts';

/** Told of a file or folder that is there and can't be used. */
export type ReportUnreadable = (path: string, error: unknown) => void;

export interface FolderEntries {
  readonly folder: string;
  readonly entries: readonly Dirent[];
}

/** More files than this in one folder are left out: no model has so many parts. */
const maxFilesInFolder = 4096;

/**
 * What a folder holds, sorted by name, without hidden files and names with control characters. A folder
 * that is not there is empty.
 */
export async function readFolder(
  folder: string,
  reportUnreadable: ReportUnreadable,
): Promise<FolderEntries> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    return {
      folder,
      entries: entries
        .filter(({ name }) => !name.startsWith('.') && isPrintable(name))
        .toSorted((left, right) => (left.name < right.name ? -1 : 1))
        .slice(0, maxFilesInFolder),
    };
  } catch (error) {
    if (!isMissing(error)) reportUnreadable(folder, error);
    return { folder, entries: [] };
  }
}

/** The folders right below one; links are followed, for users put them there. */
export async function subfolders({ folder, entries }: FolderEntries) {
  const found: { name: string; path: string }[] = [];
  for (const entry of entries) {
    const path = join(folder, entry.name);
    const isFolder =
      entry.isDirectory() ||
      (entry.isSymbolicLink() && (await stat(path).catch(() => null))?.isDirectory() === true);
    if (isFolder) found.push({ name: entry.name, path });
  }
  return found;
}

function isMissing(error: unknown): boolean {
  return errorCode(error) === 'ENOENT';
}
