import { rmdir, stat } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { HearthError } from '../../kernel/errors/errors.ts';
import { omitUndefined } from '../../kernel/omit-undefined.ts';
import { assertFolderName, assertFreePublisher, starterPublisher } from '../folder-name.ts';
import { modelName } from '../library-model.ts';
import { findInFile } from './find-in-file.ts';
import { findInFolder } from './find-in-folder.ts';
import {
  findKey,
  type FoundSources,
  type ImportSource,
  type LeftOutFile,
} from './import-source.ts';
import { placeFiles, type PlacingMethod } from './place-files.ts';

export interface ImportOptions extends PlacingOptions {
  /** A GGUF file (any part of a split model), or a folder with any number of models. */
  readonly path: string;
  /** Defaults to the publisher in the path, else `local`. */
  readonly publisher?: string;
  /**
   * Defaults to the name in the path, or else the file name without quantization. Only allowed if the import has a
   * single model.
   */
  readonly repo?: string;
}

interface PlacingOptions {
  readonly modelsFolder: string;
  readonly how: PlacingMethod;
  readonly signal: AbortSignal;
  readonly onProgress?: OnCopyProgress;
}

/** Called while bytes are copied, with totals over all models. */
export type OnCopyProgress = (progress: { copiedBytes: number; totalBytes: number }) => void;

export interface ImportResult {
  /** Keys of the imported models; empty if all models of a folder were skipped. */
  readonly keys: readonly string[];
  /** Files of a folder that were not imported, with the reason. */
  readonly leftOut: readonly LeftOutFile[];
}

/** A model to import, with its place in the library. */
export interface Destination extends ImportSource {
  readonly publisher: string;
  readonly folder: string;
}

/**
 * Imports models into the library after checking their headers. Each model is imported completely or not at all. Models
 * of a folder that are already in the library are skipped, so that an interrupted import can be repeated.
 *
 * @throws HearthError `missing_file` or `corrupt_file`, `invalid_value` for an invalid name or a folder without models,
 * `conflict` if the library already has the files, `insufficient_disk`; the signal's reason when aborted.
 */
export async function importModels(options: ImportOptions): Promise<ImportResult> {
  const { modelsFolder, publisher, repo } = options;
  if (publisher !== undefined) {
    assertFolderName(publisher, 'publisher');
    assertFreePublisher(publisher);
  }
  if (repo !== undefined) assertFolderName(repo, 'repo');
  const { sources, leftOut: unusable } = await findSources(options);
  const destinations = sources.map((source) =>
    destinationOf(source, modelsFolder, omitUndefined({ publisher, repo })),
  );
  const { keys, leftOut } = await placeModels(destinations, options, resolve(options.path));
  const all = [...unusable, ...leftOut];
  const [first] = all;
  if (keys.length === 0 && all.length === 1 && first !== undefined) throw first.error;
  return { keys, leftOut: all };
}

/** Does not use the source's publisher if it is the starter models' publisher. */
export function destinationOf(
  source: ImportSource,
  modelsFolder: string,
  names: { readonly publisher?: string; readonly repo?: string } = {},
): Destination {
  const isFree = source.publisher?.toLowerCase() !== starterPublisher;
  const publisher = names.publisher ?? ((isFree ? source.publisher : null) || 'local');
  const repo = names.repo ?? source.repo;
  return { ...source, publisher, repo, folder: join(modelsFolder, publisher, repo) };
}

/**
 * Places the files of models in the library. Leaves out a model if another file is in its place.
 *
 * @param start Folder to which the names of left out files are relative.
 * @throws The errors of `placeFiles` other than `conflict`.
 */
export async function placeModels(
  destinations: readonly Destination[],
  options: PlacingOptions,
  start: string,
): Promise<ImportResult> {
  const { signal, onProgress } = options;
  const totalBytes = await sumBytes(destinations);
  let copiedBytes = 0;
  const imported: Destination[] = [];
  const leftOut: LeftOutFile[] = [];
  for (const destination of destinations) {
    try {
      await bringIn(destination, options, (bytes) => {
        copiedBytes += bytes;
        onProgress?.({ copiedBytes, totalBytes });
      });
      imported.push(destination);
    } catch (error) {
      if (!(error instanceof HearthError && error.code === 'conflict')) throw error;
      leftOut.push({ name: relative(start, destination.files[0]?.path ?? ''), error });
    }
  }
  const keys: string[] = [];
  for (const { publisher, repo, folder, files } of imported) {
    const paths = files.map(({ target }) => join(folder, target));
    const key = await findKey({ publisher, repo, folder, paths }, signal);
    keys.push(key ?? `${publisher}/${modelName(repo)}`.toLowerCase());
  }
  return { keys, leftOut };
}

/** @throws HearthError for an unusable file, or if there is nothing to import. */
async function findSources({ path, repo, signal }: ImportOptions): Promise<FoundSources> {
  const whole = resolve(path);
  const isFolder = (await stat(whole).catch(() => null))?.isDirectory() === true;
  if (!isFolder) return { sources: [await findInFile(whole, repo, signal)], leftOut: [] };
  const found = await findInFolder(whole, signal);
  const { sources, leftOut } = found;
  const name = JSON.stringify(basename(whole).slice(0, 255));
  if (sources.length === 0)
    throw (
      leftOut[0]?.error ??
      new HearthError(
        'invalid_value',
        `The folder ${name} contains no model: neither GGUF files, nor config.json with *.safetensors.`,
        { field: 'file' },
      )
    );
  if (repo !== undefined && sources.length > 1)
    throw new HearthError(
      'invalid_value',
      `The folder ${name} has ${sources.length} models: omit the repo, or import one of them.`,
      { field: 'repo' },
    );
  return found;
}

async function bringIn(
  { folder, files }: Destination,
  { how, signal }: PlacingOptions,
  onCopied: (bytes: number) => void,
): Promise<void> {
  const placings = files.map(({ path, target }) => ({
    source: path,
    target: join(folder, target),
  }));
  try {
    await placeFiles(placings, { how, signal, onCopied });
  } catch (error) {
    const folders = new Set(placings.map(({ target }) => dirname(target)));
    for (const empty of [...folders, folder, dirname(folder)])
      await rmdir(empty).catch(() => undefined);
    throw error;
  }
}

export async function sumBytes(destinations: readonly Destination[]): Promise<number> {
  const paths = destinations.flatMap(({ files }) => files.map(({ path }) => path));
  const sizes = await Promise.all(paths.map(async (path) => (await stat(path)).size));
  return sizes.reduce((sum, size) => sum + size, 0);
}
