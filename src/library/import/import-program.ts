import { homedir } from 'node:os';
import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { HearthError } from '../../kernel/errors/errors.ts';
import { isPortableFileName } from '../folder-name.ts';
import { readGgufHeader } from '../gguf/header.ts';
import { modelName } from '../library-model.ts';
import { printableText } from '../printable-text.ts';
import {
  destinationOf,
  placeModels,
  sumBytes,
  type Destination,
  type ImportResult,
  type OnCopyProgress,
} from './import-models.ts';
import type { LeftOutFile } from './import-source.ts';
import type { PlacingMethod } from './place-files.ts';
import { huggingFaceLayout } from './programs/hugging-face-layout.ts';
import { janLayout } from './programs/jan-layout.ts';
import { llamaCppLayout } from './programs/llama-cpp-layout.ts';
import { lmStudioLayout } from './programs/lm-studio-layout.ts';
import { ollamaLayout } from './programs/ollama-layout.ts';
import {
  type ImportProgram,
  joinFound,
  type ProgramLayout,
  type ProgramPlace,
} from './programs/program.ts';

export { importPrograms, type ImportProgram } from './programs/program.ts';

const layouts: Readonly<Record<ImportProgram, ProgramLayout>> = {
  ollama: ollamaLayout,
  lmstudio: lmStudioLayout,
  jan: janLayout,
  huggingface: huggingFaceLayout,
  llamacpp: llamaCppLayout,
};

/** A model in the folders of another program. */
export interface ProgramModel {
  /** The key that it will have in the library, unless another model has it. */
  readonly key: string;
  readonly sizeBytes: number;
  /** Quantizations of the variants. */
  readonly quantizations: readonly string[];
  /** According to the program, or else to the file; null if neither names a license. */
  readonly license: string | null;
  readonly isInLibrary: boolean;
}

interface SearchOptions {
  readonly program: ImportProgram;
  /** The program's folder of models; if absent, it is found by the program's own rules. */
  readonly folder?: string;
  readonly modelsFolder: string;
  readonly environment: ProgramPlace['environment'];
  readonly signal: AbortSignal;
}

interface ProgramImportOptions extends SearchOptions {
  readonly how: Exclude<PlacingMethod, 'move'>;
  readonly onProgress?: OnCopyProgress;
}

interface ProgramSearch {
  /** Folders that were searched; all of them exist. */
  readonly folders: readonly string[];
  readonly models: readonly ProgramModel[];
  readonly leftOut: readonly LeftOutFile[];
}

interface FoundDestination {
  readonly destination: Destination;
  /** Files that the library lacks; empty if it has the model. */
  readonly missing: Destination['files'];
}

/**
 * Lists the models of another program without changing anything.
 *
 * @throws HearthError `invalid_value` if no models of the program are found; the signal's reason when aborted.
 */
export async function listProgramModels(options: SearchOptions): Promise<ProgramSearch> {
  const { folders, found, leftOut } = await search(options);
  const models: ProgramModel[] = [];
  for (const { destination, missing } of found) {
    const { publisher, repo, quantizations = [] } = destination;
    models.push({
      key: `${publisher}/${modelName(repo)}`.toLowerCase(),
      sizeBytes: await sumBytes([destination]),
      quantizations: [...new Set(quantizations)],
      license: destination.license ?? (await licenseInFile(destination, options.signal)),
      isInLibrary: missing.length === 0,
    });
  }
  return { folders, models, leftOut };
}

/**
 * Adds the models of another program to the library, without changing the program's files. Files that are already in
 * the library are not added again.
 *
 * @throws The errors of `listProgramModels` and `placeFiles`.
 */
export async function importFromProgram(
  options: ProgramImportOptions,
): Promise<ImportResult & { readonly presentCount: number }> {
  const { folders, found, leftOut } = await search(options);
  const lacking = found
    .filter(({ missing }) => missing.length > 0)
    .map(({ destination, missing }) => ({ ...destination, files: missing }));
  const placed = await placeModels(lacking, options, folders[0] ?? '');
  return {
    keys: [...new Set(placed.keys)],
    leftOut: [...leftOut, ...placed.leftOut],
    presentCount: found.length - lacking.length,
  };
}

async function search({ program, folder, modelsFolder, environment, signal }: SearchOptions) {
  const layout = layouts[program];
  const place = { environment, homeFolder: homedir(), platform: process.platform };
  const candidates = (folder === undefined ? await layout.folders(place) : [folder]).map((one) =>
    resolve(one),
  );
  const folders: string[] = [];
  for (const one of new Set(candidates))
    if ((await stat(one).catch(() => null))?.isDirectory() === true) folders.push(one);
  if (folders.length === 0)
    throw new HearthError(
      'invalid_value',
      `There are no models of ${layout.label} in ${candidates.join(', ')}. Name the folder of its models.`,
      { field: folder === undefined ? 'from' : 'path' },
    );
  const all = [];
  for (const one of folders) all.push(await layout.find(one, signal));
  const { sources, leftOut } = joinFound(all);
  const unusable = [...leftOut];
  const found: FoundDestination[] = [];
  for (const source of sources) {
    const bad = source.files.find(({ target }) => !isPortablePath(target));
    if (bad !== undefined) {
      unusable.push({ name: printableText(bad.target, 255), error: badName(bad.target) });
      continue;
    }
    const destination = destinationOf(source, modelsFolder);
    found.push({ destination, missing: await missingFiles(destination) });
  }
  return { folders, found, leftOut: unusable };
}

/**
 * The files that the library does not have. If another file has the name, the file is included, so that placing it
 * fails.
 */
async function missingFiles({ folder, files }: Destination): Promise<Destination['files']> {
  const isHere = await Promise.all(
    files.map(async ({ path, target }) => {
      const [own, there] = await Promise.all([
        stat(join(folder, target)).catch(() => null),
        stat(path),
      ]);
      return own?.isFile() === true && own.size === there.size;
    }),
  );
  return files.filter((_, index) => isHere[index] !== true);
}

async function licenseInFile({ files }: Destination, signal: AbortSignal): Promise<string | null> {
  const model = files.find(({ target }) => /\.gguf$/i.test(target));
  if (model === undefined) return null;
  const { values } = (await readGgufHeader(model.path, signal)).metadata;
  const license = values.get('general.license');
  return (typeof license === 'string' ? printableText(license, 100) : '') || null;
}

function isPortablePath(target: string): boolean {
  const parts = target.split(/[/\\]/);
  return parts.length <= 2 && parts.every(isPortableFileName);
}

function badName(name: string): HearthError {
  return new HearthError(
    'invalid_value',
    `${JSON.stringify(printableText(name, 255))} can't be the name of a file on all systems.`,
    { field: 'path' },
  );
}
