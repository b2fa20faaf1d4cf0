import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { renameWithRetry } from '../../platform/files/rename-with-retry.ts';
import { flushFolder, flushTree } from '../../platform/files/unfinished-files.ts';
import { isAlive } from '../../platform/processes/is-alive.ts';

const prefix = '.staging-';
const foreignLifetimeMs = 24 * 60 * 60 * 1000;

/** True if a name in the runtimes folder belongs to a staging folder. */
export function isStagingName(name: string): boolean {
  return name.startsWith(prefix);
}

/**
 * Calls `work` with an empty folder, and removes the folder afterwards. It is inside the runtimes folder, so that a
 * rename can publish its content.
 */
export async function withStagingFolder<Result>(
  runtimesFolder: string,
  work: (folder: string) => Promise<Result>,
): Promise<Result> {
  const folder = join(runtimesFolder, `${prefix}${process.pid}-${randomUUID()}`);
  await mkdir(folder, { recursive: true });
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Removes the staging folders that killed processes left behind. */
export async function removeStaleStaging(runtimesFolder: string): Promise<void> {
  const names = await readdir(runtimesFolder).catch(() => []);
  for (const name of names.filter((candidate) => isStagingName(candidate))) {
    const folder = join(runtimesFolder, name);
    if (await isStale(name, folder)) await rm(folder, { recursive: true, force: true });
  }
}

async function isStale(name: string, folder: string): Promise<boolean> {
  const status = await stat(folder).catch(() => undefined);
  if (status === undefined) return false;
  const processId = Number.parseInt(name.slice(prefix.length), 10);
  if (processId === process.pid) {
    return status.birthtimeMs < Date.now() - process.uptime() * 1000;
  }
  return !isAlive(processId) || Date.now() - status.mtimeMs > foreignLifetimeMs;
}

/** Moves a folder to its final place, atomically even if the machine loses power. False if the place is taken. */
export async function publishFolder(content: string, target: string): Promise<boolean> {
  await flushTree(content);
  try {
    await renameWithRetry(content, target);
    await flushFolder(dirname(target));
    return true;
  } catch (error) {
    if ((await stat(target).catch(() => undefined)) !== undefined) return false;
    throw error;
  }
}
