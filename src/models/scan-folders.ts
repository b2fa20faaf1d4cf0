import type { Dirent } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { mapConcurrently } from './map-concurrently.ts';
import { isPrintable } from './printable-text.ts';

export interface ModelRoot {
  readonly folder: string;
  /** Given: the folder holds repositories of this publisher. Else it holds folders of publishers. */
  readonly publisher?: string;
}

export interface ScannedFile {
  readonly path: string;
  readonly name: string;
  readonly sizeBytes: number;
  /** Changes when the file does; made of its size and times. */
  readonly fingerprint: string;
}

/** A folder of one repository with those of its files that matter here, also of its direct subfolders. */
export interface ScannedRepository {
  readonly publisher: string;
  readonly name: string;
  readonly folder: string;
  readonly files: readonly ScannedFile[];
}

type ReportUnreadable = (path: string, error: unknown) => void;

const relevantFile =
  /\.(?:gguf|safetensors)$|^(?:config|tokenizer_config)\.json$|^chat_template\.jinja$/i;
const concurrentRepositories = 32;
/** More files than this in one folder are left out: no model has so many parts. */
const maxFilesInFolder = 4096;

/**
 * Finds `<publisher>/<repository>/<files>` under each root, in the order of the roots and then of names.
 * Links are followed, for users put them there; hidden files and names with control characters are not.
 * A root that does not exist is empty.
 */
export async function scanFolders(
  roots: readonly ModelRoot[],
  reportUnreadable: ReportUnreadable,
): Promise<ScannedRepository[]> {
  const found: ScannedRepository[][] = [];
  for (const root of roots) {
    const publishers =
      root.publisher === undefined
        ? await subfolders(root.folder, reportUnreadable)
        : [{ name: root.publisher, path: root.folder }];
    for (const publisher of publishers) {
      const repositories = await subfolders(publisher.path, reportUnreadable);
      found.push(
        await mapConcurrently(repositories, concurrentRepositories, ({ name, path }) =>
          scanRepository(publisher.name, name, path, reportUnreadable),
        ),
      );
    }
  }
  return found.flat();
}

/** The model files of one repository's folder and of the folders right below it. */
export async function scanRepository(
  publisher: string,
  name: string,
  folder: string,
  reportUnreadable: ReportUnreadable,
): Promise<ScannedRepository> {
  const entries = await readFolder(folder, reportUnreadable);
  const files = await relevantFiles(entries, folder);
  for (const subfolder of await foldersAmong(entries, folder))
    files.push(
      ...(await relevantFiles(await readFolder(subfolder.path, reportUnreadable), subfolder.path)),
    );
  return { publisher, name, folder, files };
}

async function subfolders(folder: string, reportUnreadable: ReportUnreadable) {
  return foldersAmong(await readFolder(folder, reportUnreadable), folder);
}

async function readFolder(folder: string, reportUnreadable: ReportUnreadable): Promise<Dirent[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    return entries
      .filter(({ name }) => !name.startsWith('.') && isPrintable(name))
      .toSorted((left, right) => (left.name < right.name ? -1 : 1))
      .slice(0, maxFilesInFolder);
  } catch (error) {
    if (!isMissing(error)) reportUnreadable(folder, error);
    return [];
  }
}

async function foldersAmong(entries: readonly Dirent[], folder: string) {
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

async function relevantFiles(entries: readonly Dirent[], folder: string): Promise<ScannedFile[]> {
  const found: ScannedFile[] = [];
  for (const { name } of entries.filter((entry) => relevantFile.test(entry.name))) {
    const file = await statFile(join(folder, name), name);
    if (file !== null) found.push(file);
  }
  return found;
}

/** null for what is not a file, or has gone, or is a link to nowhere. */
async function statFile(path: string, name: string): Promise<ScannedFile | null> {
  const found = await stat(path).catch(() => null);
  if (found?.isFile() !== true) return null;
  const { size, mtimeMs, ctimeMs } = found;
  return { path, name, sizeBytes: size, fingerprint: `${size}:${mtimeMs}:${ctimeMs}` };
}

/** Whether the file is still the one that was scanned. */
export async function isUnchanged(file: ScannedFile): Promise<boolean> {
  return (await statFile(file.path, file.name))?.fingerprint === file.fingerprint;
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
