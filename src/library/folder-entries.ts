import type { Dirent } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '../kernel/error-code.ts';
import { isPrintable } from './printable-text.ts';

/** Observer of a scan. */
export interface ScanListener {
  /** Called for each file or folder that exists and can't be read. */
  readonly onUnreadable: (path: string, error: unknown) => void;
  /** Called before reading each folder whose content affects the result. */
  readonly onFolder?: (folder: string) => void;
}

/** For scans that skip unreadable entries. */
export const ignoreUnreadable: ScanListener = { onUnreadable: () => undefined };

export interface FolderEntries {
  readonly folder: string;
  readonly entries: readonly Dirent[];
}

/** Limits the files read from a folder; no model has so many parts. */
const maxFilesInFolder = 4096;

/**
 * The entries of a folder, sorted by name, without hidden files and names with control characters. Empty if the folder
 * does not exist.
 */
export async function readFolder(folder: string, listener: ScanListener): Promise<FolderEntries> {
  listener.onFolder?.(folder);
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
    if (!isMissing(error)) listener.onUnreadable(folder, error);
    return { folder, entries: [] };
  }
}

/** The direct subfolders of a folder. Follows links, which users create. */
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
