import { mkdir, readdir, rm, rmdir, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { HearthError } from '../contract/errors.ts';
import { corruptFile } from './gguf/byte-source.ts';
import { readGgufHeader } from './gguf/header.ts';
import { ggufFacts } from './gguf-facts.ts';
import { assertFolderName, folderNameFrom } from './folder-name.ts';
import { modelName } from './library-model.ts';
import { parseModelFileName } from './model-file-name.ts';
import { placeFile, type PlacingMethod } from './place-file.ts';
import { isPrintable } from './printable-text.ts';
import { createRepositoryReader } from './read-repository.ts';
import { scanRepository } from './scan-folders.ts';

export interface ImportOptions {
  /** A GGUF file; of a split model any part, and all parts beside it come along. */
  readonly file: string;
  readonly modelsFolder: string;
  /** `local` unless given. */
  readonly publisher?: string;
  /** The file's name without its quantization unless given. */
  readonly repo?: string;
  readonly how: PlacingMethod;
  readonly signal: AbortSignal;
  /** Called while bytes are copied. */
  readonly onProgress?: (progress: { copiedBytes: number; totalBytes: number }) => void;
}

/**
 * Brings a GGUF file into the library, after a look at its header, and gives the model's key.
 *
 * @throws HearthError `missing_file` or `corrupt_file` for the file, `invalid_value` for a name,
 *   `conflict` where the library has such a file already; the signal's reason when aborted.
 */
export async function importModel(options: ImportOptions): Promise<{ key: string }> {
  const { publisher = 'local', modelsFolder, how, signal, onProgress } = options;
  assertFolderName(publisher, 'publisher');
  if (options.repo !== undefined) assertFolderName(options.repo, 'repo');
  const sources = await findParts(resolve(options.file));
  for (const source of sources) await assertUsable(source, options.repo, signal);
  const repo = options.repo ?? defaultRepository(options.file);

  const folder = join(modelsFolder, publisher, repo);
  await mkdir(folder, { recursive: true });
  const totalBytes = await sumBytes(sources);
  let copiedBytes = 0;
  const placed: string[] = [];
  try {
    for (const source of sources) {
      const target = join(folder, basename(source));
      await placeFile({
        source,
        target,
        how,
        signal,
        onCopied: (bytes) => {
          copiedBytes += bytes;
          onProgress?.({ copiedBytes, totalBytes });
        },
      });
      placed.push(target);
    }
  } catch (error) {
    // What was moved is no longer anywhere else.
    if (how !== 'move') await Promise.all(placed.map((path) => rm(path, { force: true })));
    await rmdir(folder).catch(() => undefined);
    throw error;
  }
  return { key: await findKey(publisher, repo, folder, placed, signal) };
}

async function findParts(file: string): Promise<string[]> {
  const name = basename(file);
  if (!/\.gguf$/i.test(name) || !isPrintable(name))
    throw new HearthError(
      'invalid_value',
      `${JSON.stringify(name.slice(0, 255))} is not the name of a GGUF file (*.gguf).`,
      { param: 'file' },
    );
  const { part } = parseModelFileName(name);
  if (part === null) return [file];
  const partPattern = /-\d{5}-of-/;
  const folder = dirname(file);
  const siblings = await readdir(folder).catch(() => []);
  const whole = name.replace(partPattern, '');
  const parts = siblings.filter((sibling) => sibling.replace(partPattern, '') === whole).toSorted();
  if (parts.length < part.count)
    throw corruptFile(name, `is split in ${part.count} parts, and ${parts.length} are there`);
  return parts.map((sibling) => join(folder, sibling));
}

async function assertUsable(
  source: string,
  repo: string | undefined,
  signal: AbortSignal,
): Promise<void> {
  const name = basename(source);
  const { kind } = ggufFacts(await readGgufHeader(source, signal), name);
  if (kind === 'other') throw corruptFile(name, 'is an adapter or a matrix, not a model');
  if (kind === 'projector' && repo === undefined)
    throw new HearthError(
      'invalid_value',
      `${name} is a projector: say which repo, and which publisher, it belongs to.`,
      { param: 'repo' },
    );
}

function defaultRepository(file: string): string {
  const { base } = parseModelFileName(basename(file));
  const name = folderNameFrom(base);
  return name === '' ? 'model' : name;
}

async function sumBytes(files: readonly string[]): Promise<number> {
  const sizes = await Promise.all(files.map(async (file) => (await stat(file)).size));
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** The name depends on what else lies in the folder. */
async function findKey(
  publisher: string,
  repo: string,
  folder: string,
  placed: readonly string[],
  signal: AbortSignal,
): Promise<string> {
  const repository = await scanRepository(publisher, repo, folder, () => undefined);
  const { models } = await createRepositoryReader(signal).read(repository);
  const model = models.find(({ files }) => files.some(({ path }) => placed.includes(path)));
  return `${publisher}/${model?.names[0] ?? modelName(repo)}`.toLowerCase();
}
