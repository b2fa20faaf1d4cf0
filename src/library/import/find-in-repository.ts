import { basename, join, relative } from 'node:path';
import { ignoreUnreadable, readFolder, subfolders } from '../folder-entries.ts';
import { folderNameFrom } from '../folder-name.ts';
import type { RepositoryModel } from '../library-model.ts';
import { parseModelFileName } from '../model-file-name.ts';
import { createRepositoryReader } from '../read-repository.ts';
import type { ScannedRepository } from '../scan-repository.ts';
import { statFile } from '../scanned-file.ts';
import { repositoryNameFrom } from './find-in-file.ts';
import type { FoundSources, ImportSource } from './import-source.ts';

/** The place of a repository's models in the library. */
export interface Place {
  readonly publisher: string | null;
  /** null: each model has the name of its file. */
  readonly repo: string | null;
  /** Folder to which the file names in messages are relative. */
  readonly start: string;
  /** True if the scan's names are used for files, instead of the paths in the repository. */
  readonly isNamedByScan?: boolean;
}

/** The usable models of a repository, each with its parts, variants and projectors. */
export async function findInRepository(
  repository: ScannedRepository,
  { publisher, repo, start, isNamedByScan = false }: Place,
  signal: AbortSignal,
): Promise<FoundSources> {
  const { folder } = repository;
  const { models, faults } = await createRepositoryReader(signal).read(repository);
  const names = new Map(repository.files.map(({ path, name }) => [path, name]));
  const targetOf = (path: string): string =>
    (isNamedByScan ? names.get(path) : undefined) ?? relative(folder, path);
  const sources: ImportSource[] = [];
  const taken = new Set<string>();
  for (const model of models) {
    if (model.entry === null && model.adapter === undefined) continue;
    const isMlx = model.entry?.format === 'mlx';
    const paths = isMlx ? await filesAround(folder) : pathsOf(model);
    const own = paths.filter((path) => !taken.has(path));
    for (const path of own) taken.add(path);
    const name = repo ?? (isMlx ? folderNameFrom(basename(folder)) : defaultName(model));
    sources.push({
      publisher,
      repo: name === '' ? 'model' : name,
      files: own.map((path) => ({ path, target: targetOf(path) })),
      quantizations: (model.entry?.variants ?? []).flatMap(
        ({ quantization }) => quantization?.name ?? [],
      ),
    });
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
