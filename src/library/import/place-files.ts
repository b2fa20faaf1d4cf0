import { createReadStream, createWriteStream } from 'node:fs';
import { link, mkdir, realpath, rm, symlink } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { HearthError } from '../../kernel/errors/errors.ts';
import { errorCode } from '../../kernel/error-code.ts';
import {
  flushFile,
  flushFolder,
  removeUnfinished,
  unfinishedPath,
} from '../../platform/files/unfinished-files.ts';
import { isDiskFull } from '../disk-full.ts';
import { exists, linkOrRename } from '../link-or-rename.ts';

/** `link`: a hard link if the file system allows it, or else a symbolic link. */
export type PlacingMethod = 'copy' | 'move' | 'hardlink' | 'symlink' | 'link';

export interface FilePlacing {
  readonly source: string;
  readonly target: string;
}

interface PlacingOptions {
  readonly how: PlacingMethod;
  readonly signal: AbortSignal;
  /** Called with the bytes copied since the last call; not called if nothing is copied. */
  readonly onCopied: (bytes: number) => void;
}

/**
 * Places all files or none, and never replaces an existing file. Slow copies are made next to the
 * targets under hidden names first; moved sources are deleted last.
 *
 * @throws HearthError `conflict` if a target exists; `invalid_value` for a hard link to another disk;
 *   `insufficient_disk`; the signal's reason when aborted.
 */
export async function placeFiles(
  placings: readonly FilePlacing[],
  options: PlacingOptions,
): Promise<void> {
  const { how, signal } = options;
  const copies = new Map<string, string>();
  const placed: string[] = [];
  try {
    for (const { source, target } of placings) {
      signal.throwIfAborted();
      if (await exists(target)) throw alreadyThere(target);
      await mkdir(dirname(target), { recursive: true });
      await removeUnfinished(dirname(target));
      if (how === 'copy' || (how === 'move' && !(await areOnOneDisk(source, dirname(target)))))
        await copyBeside(source, target, copies, options);
    }
    for (const { source, target } of placings) {
      signal.throwIfAborted();
      await place(source, target, copies.get(target), how);
      placed.push(target);
    }
    // Flush before the sources are deleted, so that a power loss keeps either the source or the target.
    for (const folder of new Set(placed.map((path) => dirname(path)))) await flushFolder(folder);
  } catch (error) {
    await Promise.all(placed.map((path) => rm(path, { force: true })));
    throw explain(error, how);
  } finally {
    await Promise.all([...copies.values()].map((path) => rm(path, { force: true })));
  }
  if (how === 'move') for (const { source } of placings) await rm(source);
}

async function place(
  source: string,
  target: string,
  copy: string | undefined,
  how: PlacingMethod,
): Promise<void> {
  if (copy !== undefined) {
    if (!(await linkOrRename(copy, target))) throw alreadyThere(target);
    return;
  }
  const real = await realpath(source);
  try {
    await linkBy(how, real, target);
  } catch (error) {
    if (errorCode(error) === 'EEXIST') throw alreadyThere(target);
    if (how === 'link')
      throw new HearthError(
        'invalid_value',
        `The operating system does not allow a link to ${basename(source)} (${errorCode(error) ?? 'unknown error'}): use copy.`,
        { field: 'how', cause: error },
      );
    if (how === 'hardlink' && errorCode(error) === 'EXDEV')
      throw new HearthError(
        'invalid_value',
        `${basename(source)} lies on another disk than the library, so it can't be linked hard: use copy, move or symlink.`,
        { field: 'how', cause: error },
      );
    throw error;
  }
}

async function linkBy(how: PlacingMethod, real: string, target: string): Promise<void> {
  if (how === 'symlink') return symlink(real, target);
  try {
    await link(real, target);
  } catch (error) {
    // A hard link fails if the target is on another disk, the file belongs to another user, or the file system has no
    // hard links.
    if (how !== 'link' || errorCode(error) === 'EEXIST') throw error;
    await symlink(real, target);
  }
}

/** True if a file can be hard-linked into a folder. */
async function areOnOneDisk(source: string, folder: string): Promise<boolean> {
  const probe = unfinishedPath(folder);
  try {
    await link(await realpath(source), probe);
    return true;
  } catch {
    return false;
  } finally {
    await rm(probe, { force: true });
  }
}

async function copyBeside(
  source: string,
  target: string,
  copies: Map<string, string>,
  { signal, onCopied }: PlacingOptions,
): Promise<void> {
  const copy = unfinishedPath(dirname(target));
  copies.set(target, copy);
  const counter = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      onCopied(chunk.byteLength);
      done(null, chunk);
    },
  });
  await pipeline(
    createReadStream(source, { highWaterMark: 1024 * 1024 }),
    counter,
    createWriteStream(copy, { flags: 'wx' }),
    { signal },
  );
  await flushFile(copy);
}

export function alreadyThere(target: string): HearthError {
  return new HearthError(
    'conflict',
    `The library already has a file ${basename(target)} there. Delete its model (hearth rm), or give another publisher or repo.`,
  );
}

function explain(error: unknown, how: PlacingMethod): unknown {
  if (!isDiskFull(error)) return error;
  const advice = how === 'copy' ? ' Free some, or use --move or --link.' : '';
  return new HearthError(
    'insufficient_disk',
    `The disk of the models folder has no space for it.${advice}`,
    { cause: error },
  );
}
