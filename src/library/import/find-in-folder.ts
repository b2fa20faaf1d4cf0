import { realpath } from 'node:fs/promises';
import { basename, relative, sep } from 'node:path';
import { ignoreUnreadable, readFolder, subfolders } from '../folder-entries.ts';
import { folderNameFrom } from '../folder-name.ts';
import { holdsWeights, scanRepository } from '../scan-repository.ts';
import { findInRepository, type Place } from './find-in-repository.ts';
import type { FoundSources, ImportSource, LeftOutFile } from './import-source.ts';

/** Deep enough for `models/<publisher>/<repository>/<files>`. */
const maxDepth = 4;

/**
 * Finds every model in a folder and its subfolders: GGUF files with their variants, parts and projectors, and complete
 * MLX folders. A folder `<publisher>/<repository>` determines the names of its models; files directly in the start
 * folder are named after themselves.
 *
 * @throws The signal's reason when aborted.
 */
export async function findInFolder(folder: string, signal: AbortSignal): Promise<FoundSources> {
  const sources: ImportSource[] = [];
  const leftOut: LeftOutFile[] = [];
  for (const repository of await findRepositories(folder, folder, new Set())) {
    signal.throwIfAborted();
    const place = placeOf(repository, folder);
    const scanned = await scanRepository(
      {
        root: { folder: repository },
        publisher: place.publisher ?? '',
        name: place.repo ?? basename(repository),
        folder: repository,
        isCollection: place.repo === null,
      },
      ignoreUnreadable,
    );
    const found = await findInRepository(scanned, { ...place, start: folder }, signal);
    sources.push(...found.sources);
    leftOut.push(...found.leftOut);
  }
  return { sources, leftOut };
}

async function findRepositories(
  folder: string,
  start: string,
  seen: Set<string>,
  depth = 0,
): Promise<string[]> {
  if (depth > maxDepth) return [];
  const real = await realpath(folder);
  // Links may form cycles.
  if (seen.has(real)) return [];
  seen.add(real);
  const content = await readFolder(folder, {
    onUnreadable: (_, error) => {
      throw error;
    },
  });
  const below = await subfolders(content);
  const found: string[] = [];
  if (holdsWeights(content)) {
    // Direct subfolders belong to this repository; deeper folders are other repositories.
    for (const { path } of below)
      for (const deeper of await subfolders(await readFolder(path, ignoreUnreadable)))
        found.push(...(await findRepositories(deeper.path, start, seen, depth + 2)));
    return [folder, ...found];
  }
  if (pathBelow(libraryAbove(folder, start), folder).length === 2)
    for (const { path } of below)
      if (holdsWeights(await readFolder(path, ignoreUnreadable))) return [folder];
  for (const { path } of below)
    found.push(...(await findRepositories(path, start, seen, depth + 1)));
  return found;
}

/** The folder that contains the publishers: the last folder named `models` on the path, or else the start folder. */
function libraryAbove(folder: string, start: string): string {
  const parts = folder.split(sep);
  const index = parts.map((part) => part.toLowerCase()).lastIndexOf('models');
  return index === -1 ? start : parts.slice(0, index + 1).join(sep);
}

function pathBelow(start: string, folder: string): string[] {
  return relative(start, folder).split(sep).filter(Boolean);
}

/** The publisher and repository in the path of a repository. */
function placeOf(repository: string, start: string): Omit<Place, 'start'> {
  const inLibrary = pathBelow(libraryAbove(repository, start), repository);
  const below = pathBelow(start, repository);
  const [publisher, repo] = inLibrary.length >= 2 ? inLibrary : [below.at(-2), below.at(-1)];
  return {
    publisher: folderNameFrom(publisher ?? '') || null,
    repo: folderNameFrom(repo ?? '') || null,
  };
}
