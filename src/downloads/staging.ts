import { mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { HearthError } from '../contract/errors.ts';
import { errorCode } from '../error-code.ts';
import { placeFiles } from '../models/import/place-files.ts';
import { linkOrRename } from '../models/link-or-rename.ts';
import { parseModelFileName } from '../models/model-file-name.ts';
import { isPrintable } from '../models/printable-text.ts';
import type { DownloadFile, DownloadPlan } from './downloads.ts';

/** Hidden, so that the library does not look into it; on the disk of the library, so that a rename publishes. */
const stagingName = '.downloads';
const cancelledEnd = '.cancelled';

export function stagingFolder(modelsFolder: string, jobId: string): string {
  return join(modelsFolder, stagingName, jobId);
}

/** Where a file of a job is while it comes; numbered, for names may differ only in case. */
export function partPath(modelsFolder: string, jobId: string, index: number): string {
  return join(stagingFolder(modelsFolder, jobId), `${index}.part`);
}

/** Removes what a job has on disk, also where it was cancelled. */
export async function removeStaging(modelsFolder: string, jobId: string): Promise<void> {
  const folder = stagingFolder(modelsFolder, jobId);
  await removeFolder(folder);
  await removeFolder(`${folder}${cancelledEnd}`);
}

function removeFolder(folder: string): Promise<void> {
  return rm(folder, { recursive: true, force: true, maxRetries: 5 });
}

/** Gives what a job has on disk a name by which any later start removes it. */
export async function markCancelled(modelsFolder: string, jobId: string): Promise<void> {
  const folder = stagingFolder(modelsFolder, jobId);
  // There may be none yet; and where it can't be renamed, it is removed under its own name.
  await rename(folder, `${folder}${cancelledEnd}`).catch(() => {});
}

/**
 * Removes what is left of jobs that were cancelled. All else stays: several homes may share a models folder,
 * and what belongs to no job of one may be a download of another.
 *
 * @returns names of the folders that belong to none of the given jobs.
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

/**
 * The folder of a model, also where it is written in another case: on some disks that is the same folder, and
 * the keys of models know no case.
 */
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
 * Looks at a plan once more before anything is written: it may come from an older version or another hand.
 *
 * @throws HearthError `invalid_value` for a name that leads elsewhere, and for two that are one on some disks.
 */
export function assertSafePlan({ owner, name, files }: DownloadPlan): void {
  const seen = new Set<string>();
  for (const { target } of files) {
    const parts = [owner, name, ...target.split('/')];
    const isSafe =
      parts.length <= 4 &&
      parts.every(
        (part) => part !== '' && !part.startsWith('.') && !/[\\:]/.test(part) && isPrintable(part),
      );
    if (!isSafe) throw unsafe(`${owner}/${name}/${target}`, 'is no place within the library');
    const lowered = target.toLowerCase();
    if (seen.has(lowered)) throw unsafe(target, 'is there twice, in another case');
    seen.add(lowered);
  }
}

function unsafe(text: string, reason: string): HearthError {
  return new HearthError(
    'invalid_value',
    `The repository can't be downloaded: ${JSON.stringify(text.slice(0, 300))} ${reason}.`,
    { param: 'model' },
  );
}

/**
 * The order in which files come into the library: what makes it see a model comes last, so that it never sees
 * half of one.
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
 * Moves a complete file to its place, never over another one.
 *
 * @throws HearthError `conflict` where there is one.
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
    // A publisher's folder may be a link to another disk.
    if (errorCode(error) !== 'EXDEV') throw error;
    return placeFiles([{ source, target }], { how: 'move', signal, onCopied: () => {} });
  }
  await rm(source, { force: true });
  await flushFolder(dirname(target));
}

/** So that the new name outlives a loss of power; not every system can. */
async function flushFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r').catch(() => undefined);
  await handle?.sync().catch(() => {});
  await handle?.close();
}

export function targetExists(target: string): HearthError {
  return new HearthError(
    'conflict',
    `The library already has another file ${basename(target)} of this model, such as an earlier version. Delete it (hearth rm) or rename it, then ask for the download again.`,
  );
}
