import { readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { HearthError } from '../../kernel/errors/errors.ts';
import { folderNameFrom } from '../folder-name.ts';
import { corruptFile } from '../gguf/byte-source.ts';
import { readGgufHeader } from '../gguf/header.ts';
import { ggufFacts } from '../gguf/facts.ts';
import { parseModelFileName } from '../model-file-name.ts';
import { isPrintable } from '../printable-text.ts';
import type { ImportSource } from './import-source.ts';

/**
 * Finds the model of a GGUF file, with all parts if it is split.
 *
 * @param repo Target repository; required for a projector.
 * @throws HearthError `missing_file` or `corrupt_file`, `invalid_value`.
 */
export async function findInFile(
  file: string,
  repo: string | undefined,
  signal: AbortSignal,
): Promise<ImportSource> {
  const paths = await findParts(file);
  for (const path of paths) await assertUsable(path, repo, signal);
  return {
    publisher: null,
    repo: repo ?? repositoryNameFrom(parseModelFileName(basename(file)).base),
    files: paths.map((path) => ({ path, target: basename(path) })),
  };
}

/** Derives a repository name from a file name. */
export function repositoryNameFrom(base: string): string {
  const name = folderNameFrom(base);
  return name === '' ? 'model' : name;
}

async function findParts(file: string): Promise<string[]> {
  const name = basename(file);
  if (!/\.gguf$/i.test(name) || !isPrintable(name))
    throw new HearthError(
      'invalid_value',
      `${JSON.stringify(name.slice(0, 255))} is not the name of a GGUF file (*.gguf).`,
      { field: 'file' },
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
  path: string,
  repo: string | undefined,
  signal: AbortSignal,
): Promise<void> {
  const name = basename(path);
  const { kind } = ggufFacts(await readGgufHeader(path, signal), name);
  if (kind === 'other') throw corruptFile(name, 'is neither a model nor an adapter');
  if (kind === 'projector' && repo === undefined)
    throw new HearthError(
      'invalid_value',
      `${name} is a projector: say which repo, and which publisher, it belongs to.`,
      { field: 'repo' },
    );
}
