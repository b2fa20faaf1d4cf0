import { mkdir, readdir, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { HearthError } from '../../kernel/errors/errors.ts';
import { errorCode } from '../../kernel/error-code.ts';
import { placeFiles } from '../import/place-files.ts';
import { isPortableFileName } from '../folder-name.ts';
import { linkOrRename } from '../link-or-rename.ts';
import { parseModelFileName } from '../model-file-name.ts';
import type { DownloadFile, DownloadPlan } from './downloads.ts';
import { renameWithRetry } from '../../platform/files/rename-with-retry.ts';
import { flushFolder } from '../../platform/files/unfinished-files.ts';

/** Hidden, so that the library skips it. It is on the library's disk, so that a rename can publish a file. */
const stagingName = '.downloads';
const cancelledEnd = '.cancelled';

export function stagingFolder(modelsFolder: string, jobId: string): string {
  return join(modelsFolder, stagingName, jobId);
}

/** Path of the part file of a file. It contains a number, since file names may differ only in case. */
export function partPath(modelsFolder: string, jobId: string, index: number): string {
  return join(stagingFolder(modelsFolder, jobId), `${index}.part`);
}

/** Removes the files of a job, including a canceled one. */
export async function removeStaging(modelsFolder: string, jobId: string): Promise<void> {
  const folder = stagingFolder(modelsFolder, jobId);
  await removeFolder(folder);
  await removeFolder(`${folder}${cancelledEnd}`);
}

function removeFolder(folder: string): Promise<void> {
  return rm(folder, { recursive: true, force: true, maxRetries: 5 });
}

/** Renames the folder of a job, so that any later start removes it. */
export async function markCancelled(modelsFolder: string, jobId: string): Promise<void> {
  const folder = stagingFolder(modelsFolder, jobId);
  // The folder may not exist. If it exists and can't be renamed, the caller removes it under its own name.
  await renameWithRetry(folder, `${folder}${cancelledEnd}`).catch(() => {});
}

/**
 * Removes the folders of canceled jobs. All others stay: several home folders may share a models folder, so a folder
 * without a job here may belong to a download there.
 *
 * @returns The names of the folders that belong to none of the jobs.
 */
export async function sweepStaging(
  modelsFolder: string,
  jobIds: ReadonlySet<string>,
): Promise<readonly string[]> {
  const folder = join(modelsFolder, stagingName);
  const names = await readdir(folder).catch((): string[] => []);
  for (const name of names) {
    if (/^job_[0-9a-f]{10}\.cancelled$/.test(name)) await removeFolder(join(folder, name));
  }
  return names.filter((name) => /^job_[0-9a-f]{10}$/.test(name) && !jobIds.has(name));
}

/** The folder of a model in the library, ignoring case, since keys of models and some file systems ignore it. */
export async function findModelFolder(
  modelsFolder: string,
  { owner, name }: Pick<DownloadPlan, 'owner' | 'name'>,
): Promise<string> {
  return findFolder(await findFolder(modelsFolder, owner), name);
}

async function findFolder(parent: string, name: string): Promise<string> {
  const names = await readdir(parent).catch((): string[] => []);
  const lowered = name.toLowerCase();
  const existing = names.includes(name)
    ? name
    : names.find((candidate) => candidate.toLowerCase() === lowered);
  return join(parent, existing ?? name);
}

/**
 * Validates a plan again before anything is written: it may come from an older version of Hearth or an edited database.
 *
 * @throws HearthError `invalid_value` for a path outside the library, and for paths that are the same file on some file
 * systems.
 */
export function assertSafePlan({ owner, name, files }: DownloadPlan): void {
  const seen = new Set<string>();
  for (const { target } of files) {
    const parts = [owner, name, ...target.split('/')];
    const isSafe =
      parts.length <= 4 && parts.every((part) => !part.startsWith('.') && isPortableFileName(part));
    if (!isSafe) throw unsafe(`${owner}/${name}/${target}`, 'is not a place inside the library');
    const lowered = target.toLowerCase();
    if (seen.has(lowered)) throw unsafe(target, 'is listed twice, in another case');
    seen.add(lowered);
  }
}

function unsafe(text: string, reason: string): HearthError {
  return new HearthError(
    'invalid_value',
    `The repository can't be downloaded: ${JSON.stringify(text.slice(0, 300))} ${reason}.`,
    { field: 'model' },
  );
}

/**
 * Sorts files for publishing. The library lists a model once it has certain files; these come last, so that it never
 * lists an incomplete model.
 */
export function publishingOrder<File extends Pick<DownloadFile, 'target'>>(
  files: readonly File[],
): readonly File[] {
  return files.toSorted((left, right) => rank(left.target) - rank(right.target));
}

function rank(target: string): number {
  if (basename(target) === 'config.json') return 1;
  if (!/\.gguf$/i.test(target)) return 0;
  const { part, isProjector } = parseModelFileName(basename(target));
  return isProjector || (part !== null && part.number > 1) ? 0 : 1;
}

/**
 * Moves a complete file to its target without replacing another file.
 *
 * @throws HearthError `conflict` if a file exists there.
 */
export async function publishFile(
  source: string,
  target: string,
  signal: AbortSignal,
): Promise<void> {
  signal.throwIfAborted();
  await mkdir(dirname(target), { recursive: true });
  try {
    if (!(await linkOrRename(source, target))) throw targetExists(target);
  } catch (error) {
    // The folder of a publisher may be a link to another disk.
    if (errorCode(error) !== 'EXDEV') throw error;
    return placeFiles([{ source, target }], { how: 'move', signal, onCopied: () => {} });
  }
  await rm(source, { force: true });
  await flushFolder(dirname(target));
}

export function targetExists(target: string): HearthError {
  return new HearthError(
    'conflict',
    `The library already has another file ${basename(target)} of this model, such as an earlier version. Delete it (hearth rm) or rename it, then repeat the download.`,
  );
}
