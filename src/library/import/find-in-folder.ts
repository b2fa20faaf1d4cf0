import { realpath } from 'node:fs/promises';
import { basename, join, relative, sep } from 'node:path';
import { ignoreUnreadable, readFolder, subfolders } from '../folder-entries.ts';
import { folderNameFrom } from '../folder-name.ts';
import type { RepositoryModel } from '../library-model.ts';
import { createRepositoryReader } from '../read-repository.ts';
import { holdsWeights, scanRepository } from '../scan-repository.ts';
import { statFile } from '../scanned-file.ts';
import { repositoryNameFrom } from './find-in-file.ts';
import type { FoundSources, ImportSource, LeftOutFile } from './import-source.ts';
import { parseModelFileName } from '../model-file-name.ts';

/** `models/<publisher>/<repository>/<files>` and a little more. */
const maxDepth = 4;

/**
 * Finds every model in a folder and its subfolders: GGUF files with their variants, parts and projectors,
 * and complete MLX folders. A folder `<publisher>/<repository>` determines the names of the model; files
 * directly in the folder are named after themselves.
 *
 * @throws the signal's reason when aborted.
 */
export async function findInFolder(folder: string, signal: AbortSignal): Promise<FoundSources> {
  const sources: ImportSource[] = [];
  const leftOut: LeftOutFile[] = [];
  for (const repository of await findRepositories(folder, folder, new Set())) {
    signal.throwIfAborted();
    const place = placeOf(repository, folder);
    const found = await findInRepository(repository, folder, place, signal);
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
    // Direct subfolders belong to it; deeper ones do not.
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

/** The folder that contains publishers: the last folder named `models` on the path, else the first folder. */
function libraryAbove(folder: string, start: string): string {
  const parts = folder.split(sep);
  const index = parts.map((part) => part.toLowerCase()).lastIndexOf('models');
  return index === -1 ? start : parts.slice(0, index + 1).join(sep);
}

function pathBelow(start: string, folder: string): string[] {
  return relative(start, folder).split(sep).filter(Boolean);
}

interface Place {
  readonly publisher: string | null;
  readonly repo: string | null;
}

/** The names in the path of a repository. */
function placeOf(repository: string, start: string): Place {
  const inLibrary = pathBelow(libraryAbove(repository, start), repository);
  const below = pathBelow(start, repository);
  const [publisher, repo] = inLibrary.length >= 2 ? inLibrary : [below.at(-2), below.at(-1)];
  return {
    publisher: folderNameFrom(publisher ?? '') || null,
    repo: folderNameFrom(repo ?? '') || null,
  };
}

async function findInRepository(
  folder: string,
  start: string,
  { publisher, repo }: Place,
  signal: AbortSignal,
): Promise<FoundSources> {
  const repository = await scanRepository(
    {
      root: { folder },
      publisher: publisher ?? '',
      name: repo ?? basename(folder),
      folder,
      isCollection: repo === null,
    },
    ignoreUnreadable,
  );
  const { models, faults } = await createRepositoryReader(signal).read(repository);
  const sources: ImportSource[] = [];
  const taken = new Set<string>();
  for (const model of models) {
    if (model.entry === null && model.adapter === undefined) continue;
    const isMlx = model.entry?.format === 'mlx';
    const paths = isMlx ? await filesAround(folder) : pathsOf(model);
    const own = paths.filter((path) => !taken.has(path));
    for (const path of own) taken.add(path);
    const name = repo ?? (isMlx ? folderNameFrom(basename(folder)) : defaultName(model));
    const files = own.map((path) => ({ path, target: relative(folder, path) }));
    sources.push({ publisher, repo: name === '' ? 'model' : name, files });
  }
  const unusable = [...faults, ...models.flatMap((model) => model.faults)];
  return {
    sources,
    leftOut: unusable.map(({ file, error }) => ({ name: relative(start, file.path), error })),
  };
}

function pathsOf({ files, projectors }: RepositoryModel): string[] {
  return [...new Set([...files, ...projectors].map(({ path }) => path))];
}

function defaultName({ files }: RepositoryModel): string {
  return repositoryNameFrom(parseModelFileName(files[0]?.name ?? '').base);
}

/** All files of an MLX folder and its direct subfolders, except GGUF files. */
async function filesAround(folder: string): Promise<string[]> {
  const own = await readFolder(folder, ignoreUnreadable);
  const inner = (await subfolders(own)).map(({ path }) => readFolder(path, ignoreUnreadable));
  const found: string[] = [];
  for (const { folder: holder, entries } of [own, ...(await Promise.all(inner))])
    for (const { name } of entries) {
      const path = join(holder, name);
      if (!/\.gguf$/i.test(name) && (await statFile(path, name)) !== null) found.push(path);
    }
  return found;
}
