import { stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { ModelLibrary } from '../model.ts';
import type { DownloadPlan, DownloadRequest } from './downloads.ts';
import { findModelFolder } from './staging.ts';

/** True if the library has every file of a plan, by name and size, in any of its folders. */
export async function isPresent(
  plan: DownloadPlan,
  modelsFolder: string,
  library: ModelLibrary,
): Promise<boolean> {
  const folders = new Set([await findModelFolder(modelsFolder, plan)]);
  for (const { variants } of await library.list()) {
    for (const path of variants.flatMap(({ files }) => files)) {
      for (const folder of [dirname(path), dirname(dirname(path))]) {
        if (isFolderOf(plan, folder)) folders.add(folder);
      }
    }
  }
  for (const folder of folders) {
    if (await hasFiles(plan, folder)) return true;
  }
  return false;
}

/**
 * True if an earlier download of one of the files had different content: after a change of the repository, the sizes
 * may still be equal.
 *
 * @param completed Newest first.
 */
export function isOutdated(
  { owner, name, files }: DownloadPlan,
  completed: readonly DownloadPlan[],
): boolean {
  const repository = `${owner}/${name}`.toLowerCase();
  const brought = completed
    .filter((earlier) => `${earlier.owner}/${earlier.name}`.toLowerCase() === repository)
    .flatMap((earlier) => earlier.files);
  return files.some(({ target, checksum }) => {
    const last = brought.find((file) => file.target === target);
    return last !== undefined && last.checksum.hex !== checksum.hex;
  });
}

/**
 * Finds the plan of an earlier completed download for the same request.
 *
 * @param completed Newest first.
 */
export function findEarlier(
  { model, quantization }: DownloadRequest,
  completed: readonly DownloadPlan[],
): DownloadPlan | undefined {
  const isSame = (one: string | null, other: string): boolean =>
    one?.toLowerCase() === other.toLowerCase();
  return completed.find(
    (plan) =>
      isSame(plan.model, model) &&
      (quantization === undefined || isSame(plan.quantization, quantization)),
  );
}

function isFolderOf({ owner, name }: DownloadPlan, folder: string): boolean {
  return (
    basename(folder).toLowerCase() === name.toLowerCase() &&
    basename(dirname(folder)).toLowerCase() === owner.toLowerCase()
  );
}

async function hasFiles({ files }: DownloadPlan, folder: string): Promise<boolean> {
  for (const { target, sizeBytes } of files) {
    if (!(await isFileOfSize(join(folder, target), sizeBytes))) return false;
  }
  return true;
}

export async function isFileOfSize(path: string, sizeBytes: number): Promise<boolean> {
  const found = await stat(path).catch(() => null);
  return found?.isFile() === true && found.size === sizeBytes;
}
