import { randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { link, lstat, open, realpath, rename, rm, symlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { HearthError } from '../contract/errors.ts';

export type PlacingMethod = 'copy' | 'move' | 'hardlink' | 'symlink';

interface Placing {
  readonly source: string;
  readonly target: string;
  readonly how: PlacingMethod;
  readonly signal: AbortSignal;
  /** Called with the bytes copied since the last call; not called where nothing is copied. */
  readonly onCopied: (bytes: number) => void;
}

/**
 * Puts a file where it belongs, whole or not at all, and never over another one.
 *
 * @throws HearthError `conflict` where the target exists; `invalid_value` for a hard link to another
 *   disk; the signal's reason when aborted.
 */
export async function placeFile(placing: Placing): Promise<void> {
  const { source, target, how, signal } = placing;
  signal.throwIfAborted();
  try {
    if (await exists(target)) throw targetExists();
    if (how === 'symlink') await symlink(await realpath(source), target);
    else if (how === 'hardlink') await link(await realpath(source), target);
    else if (how === 'copy' || !(await moveOnSameDisk(source, target))) await copy(placing);
    if (how === 'move') await rm(source);
  } catch (error) {
    if (hasCode(error, 'EEXIST'))
      throw new HearthError(
        'conflict',
        `The library already has a file ${basename(target)} there.`,
      );
    if (how === 'hardlink' && hasCode(error, 'EXDEV'))
      throw new HearthError(
        'invalid_value',
        `${basename(source)} lies on another disk than the library, so it can't be linked hard: use copy, move or symlink.`,
        { param: 'how' },
      );
    throw error;
  }
}

/** A link and a removal, since a rename would replace what is there. */
async function moveOnSameDisk(source: string, target: string): Promise<boolean> {
  try {
    await link(await realpath(source), target);
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) throw error;
    return false;
  }
}

async function copy({ source, target, signal, onCopied }: Placing): Promise<void> {
  const temporary = join(dirname(target), `.${randomUUID()}.part`);
  const counter = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      onCopied(chunk.byteLength);
      done(null, chunk);
    },
  });
  try {
    await pipeline(
      createReadStream(source, { highWaterMark: 1024 * 1024 }),
      counter,
      createWriteStream(temporary, { flags: 'wx' }),
      { signal },
    );
    await flushToDisk(temporary);
    await publish(temporary, target);
  } finally {
    await rm(temporary, { force: true });
  }
}

/** A move deletes its source, so the copy has to be on the disk by then. */
async function flushToDisk(path: string): Promise<void> {
  const handle = await open(path, 'r+');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Some file systems have no hard links; there the check and the rename are two steps. */
async function publish(temporary: string, target: string): Promise<void> {
  try {
    await link(temporary, target);
  } catch (error) {
    if (hasCode(error, 'EEXIST')) throw error;
    if (await exists(target)) throw targetExists();
    await rename(temporary, target);
  }
}

async function exists(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => null)) !== null;
}

function targetExists(): Error {
  return Object.assign(new Error('The target exists.'), { code: 'EEXIST' });
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
