import { rmdir, stat } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { HearthError } from '../../kernel/errors/errors.ts';
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

export interface ImportOptions {
  /** A GGUF file (any part of a split model), or a folder with any number of models. */
  readonly path: string;
  readonly modelsFolder: string;
  /** Defaults to the publisher in the path, else `local`. */
  readonly publisher?: string;
  /** Defaults to the name in the path, else the file name without quantization; only valid for a single model. */
  readonly repo?: string;
  readonly how: PlacingMethod;
  readonly signal: AbortSignal;
  /** Called while bytes are copied, with totals over all models. */
  readonly onProgress?: (progress: { copiedBytes: number; totalBytes: number }) => void;
}

export interface ImportResult {
  /** Keys of the imported models; empty if everything in a folder was skipped. */
  readonly keys: readonly string[];
  /** Files of a folder that were not imported, with the reason. */
  readonly leftOut: readonly LeftOutFile[];
}

/** The target of a model's files. */
interface Destination extends ImportSource {
  readonly publisher: string;
  readonly folder: string;
}

/**
 * Imports models into the library after checking their headers. Each is imported completely or not at all. A model of a
 * folder that is already in the library is skipped, so that an interrupted import can be repeated.
 *
 * @throws HearthError `missing_file` or `corrupt_file`, `invalid_value` for a name or a folder without
 *   models, `conflict` if the library has the files already, `insufficient_disk`; the signal's reason
 *   when aborted.
 */
export async function importModels(options: ImportOptions): Promise<ImportResult> {
  const { modelsFolder, signal, onProgress } = options;
  if (options.publisher !== undefined) {
    assertFolderName(options.publisher, 'publisher');
    assertFreePublisher(options.publisher);
  }
  if (options.repo !== undefined) assertFolderName(options.repo, 'repo');
  const found = await findSources(options);
  const destinations = found.sources.map((source): Destination => {
    const isFree = source.publisher?.toLowerCase() !== starterPublisher;
    const publisher = options.publisher ?? (isFree ? source.publisher : undefined) ?? 'local';
    const repo = options.repo ?? source.repo;
    return { ...source, publisher, repo, folder: join(modelsFolder, publisher, repo) };
  });

  const totalBytes = await sumBytes(destinations);
  let copiedBytes = 0;
  const imported: Destination[] = [];
  const leftOut: LeftOutFile[] = [...found.leftOut];
  for (const destination of destinations) {
    try {
      await bringIn(destination, options, (bytes) => {
        copiedBytes += bytes;
        onProgress?.({ copiedBytes, totalBytes });
      });
      imported.push(destination);
    } catch (error) {
      if (!(error instanceof HearthError && error.code === 'conflict')) throw error;
      leftOut.push({
        name: relative(resolve(options.path), destination.files[0]?.path ?? ''),
        error,
      });
    }
  }
  const [firstLeftOut] = leftOut;
  if (imported.length === 0 && leftOut.length === 1 && firstLeftOut !== undefined) {
    throw firstLeftOut.error;
  }
  const keys: string[] = [];
  for (const { publisher, repo, folder, files } of imported) {
    const paths = files.map(({ target }) => join(folder, target));
    const key = await findKey({ publisher, repo, folder, paths }, signal);
    keys.push(key ?? `${publisher}/${modelName(repo)}`.toLowerCase());
  }
  return { keys, leftOut };
}

/** @throws HearthError, also if there is nothing to import. */
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
  { how, signal }: ImportOptions,
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

async function sumBytes(destinations: readonly Destination[]): Promise<number> {
  const paths = destinations.flatMap(({ files }) => files.map(({ path }) => path));
  const sizes = await Promise.all(paths.map(async (path) => (await stat(path)).size));
  return sizes.reduce((sum, size) => sum + size, 0);
}
