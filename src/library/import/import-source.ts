import type { HearthError } from '../../kernel/errors/errors.ts';
import { ignoreUnreadable } from '../folder-entries.ts';
import { createRepositoryReader } from '../read-repository.ts';
import { scanRepository } from '../scan-repository.ts';

/** One model to import, completely or not at all. */
export interface ImportSource {
  /** null if its path does not contain it. */
  readonly publisher: string | null;
  readonly repo: string;
  /** Absolute paths with their target paths in the repository's folder. */
  readonly files: readonly { readonly path: string; readonly target: string }[];
  /** Quantization of each variant, such as `Q4_K_M`. */
  readonly quantizations?: readonly string[];
  /** Name of the license according to the program that keeps the model. */
  readonly license?: string;
}

/** A file that can't be imported as a model. */
export interface LeftOutFile {
  /** Its path relative to the imported folder. */
  readonly name: string;
  readonly error: HearthError;
}

export interface FoundSources {
  readonly sources: readonly ImportSource[];
  readonly leftOut: readonly LeftOutFile[];
}

interface Placed {
  readonly publisher: string;
  readonly repo: string;
  /** Folder of the repository in the library, which may contain other models. */
  readonly folder: string;
  /** Files of the model. */
  readonly paths: readonly string[];
}

/**
 * Finds the key of the model that has one of the files; null if no such model is complete. The key also depends on the
 * other files in the folder.
 */
export async function findKey(placed: Placed, signal: AbortSignal): Promise<string | null> {
  return (await findPlaced(placed, signal))?.key ?? null;
}

/** Finds the model that has one of the files; returns its key and all of its files. */
export async function findPlaced(
  { publisher, repo, folder, paths }: Placed,
  signal: AbortSignal,
): Promise<{ readonly key: string; readonly files: readonly string[] } | null> {
  const repository = await scanRepository(
    { root: { folder }, publisher, name: repo, folder },
    ignoreUnreadable,
  );
  const { models } = await createRepositoryReader(signal).read(repository);
  for (const { entry, adapter, files, projectors, names } of models) {
    const own = [...files, ...projectors].map(({ path }) => path);
    const [name] = names;
    if (name === undefined || (entry === null && adapter === undefined)) continue;
    if (own.some((path) => paths.includes(path)))
      return { key: `${publisher}/${name}`.toLowerCase(), files: own };
  }
  return null;
}
