import { randomUUID } from 'node:crypto';
import { open, readdir, readFile, rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { basename, join } from 'node:path';
import { mapConcurrently } from '../../kernel/concurrency/map-concurrently.ts';
import { isAlive } from '../processes/is-alive.ts';

const pattern = /^\.part~([^~]+)~(\d+)~[0-9a-f-]{36}$/;
/**
 * Age at which a file is removed if its process can't be checked: it may run on another machine, or its id may have
 * been reused while start times are unknown.
 */
const lifetimeMs = 24 * 60 * 60 * 1000;
/** Start times are precise to a second only. */
const startToleranceMs = 2000;
/** Unit of the times in `/proc/PID/stat`: 100 on every Linux (proc(5)). */
const ticksPerSecond = 100;

/** Creates a hidden path in a folder, to write a file that a rename then publishes. */
export function unfinishedPath(folder: string): string {
  return join(folder, `.part~${hostname()}~${process.pid}~${randomUUID()}`);
}

/** Removes unfinished files of killed processes. */
export async function removeUnfinished(
  folder: string,
  { recursive = false }: { readonly recursive?: boolean } = {},
): Promise<void> {
  const entries = await readdir(folder, { recursive, withFileTypes: true }).catch(() => []);
  for (const entry of entries) {
    const path = join(entry.parentPath, entry.name);
    if (await isAbandoned(path)) await rm(path, { force: true });
  }
}

async function isAbandoned(path: string): Promise<boolean> {
  const [, host, processId] = pattern.exec(basename(path)) ?? [];
  if (host === undefined) return false;
  if (host === hostname() && !isAlive(Number(processId))) return true;
  const found = await stat(path).catch(() => undefined);
  if (found === undefined) return false;
  if (Date.now() - found.mtimeMs > lifetimeMs) return true;
  const startMs = host === hostname() ? await startTimeMs(Number(processId)) : undefined;
  return startMs !== undefined && found.mtimeMs < startMs - startToleranceMs;
}

/** Start time of a process in milliseconds since 1970; undefined without such a process, or without `/proc`. */
async function startTimeMs(processId: number): Promise<number | undefined> {
  const [own, system] = await Promise.all(
    [`/proc/${processId}/stat`, '/proc/stat'].map((path) => readFile(path, 'utf8').catch(() => '')),
  );
  // The program's name, in parentheses, may have spaces. The start time is field 22.
  const ticks = own?.slice(own.lastIndexOf(')') + 2).split(' ')[19];
  const [, bootedAt] = /^btime (\d+)$/m.exec(system ?? '') ?? [];
  if (ticks === undefined || bootedAt === undefined) return undefined;
  return (Number(bootedAt) + Number(ticks) / ticksPerSecond) * 1000;
}

/** Flushes a file to the disk. */
export async function flushFile(path: string): Promise<void> {
  // Windows flushes only files that are open for writing; other systems also flush read-only files.
  const handle = await open(path, process.platform === 'win32' ? 'r+' : 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Flushes the names in a folder, so that they survive a power loss; not every system supports it. */
export async function flushFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r').catch(() => undefined);
  await handle?.sync().catch(() => {});
  await handle?.close();
}

/** Flushes a folder and all files and folders in it. */
export async function flushTree(folder: string): Promise<void> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  await mapConcurrently(entries, 16, async (entry) => {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile()) await flushFile(path);
    else if (entry.isDirectory()) await flushFolder(path);
  });
  await flushFolder(folder);
}
