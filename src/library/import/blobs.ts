import { createHash } from 'node:crypto';
import { rename, rmdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { HearthError } from '../../kernel/errors/errors.ts';
import { matchesChecksum } from '../downloads/content-hash.ts';
import { assertFolderName, assertFreePublisher } from '../folder-name.ts';
import { corruptFile } from '../gguf/byte-source.ts';
import { ggufFacts } from '../gguf/facts.ts';
import { readGgufHeader } from '../gguf/header.ts';
import { exists } from '../link-or-rename.ts';
import { findKey } from './import-source.ts';
import { alreadyThere, placeFiles } from './place-files.ts';
import { assertFileName } from './receive-file.ts';
import { stageUpload, uploadsFolder, type UploadSource } from './stage-upload.ts';

/** The files that an owner uploads by their hashes, before an import names them. They are kept for a day. */
interface BlobPlace {
  readonly modelsFolder: string;
  readonly homeId: string;
  /** Id of a token; null for callers without one. */
  readonly owner: string | null;
}

interface NamedBlob {
  /** Name of the file in the library, `*.gguf`. */
  readonly file: string;
  /** Hash of its content, `sha256:` and 64 hex digits. */
  readonly digest: string;
}

interface BlobImport extends BlobPlace {
  readonly publisher: string;
  readonly repo: string;
  readonly blobs: readonly NamedBlob[];
  /** The expected kind of the files. A model may have a projector and several parts. */
  readonly kind: 'model' | 'adapter';
  readonly signal: AbortSignal;
}

export function hasBlob(place: BlobPlace, digest: string): Promise<boolean> {
  return exists(blobPath(place, digest));
}

/**
 * Receives a GGUF file and keeps it under its hash.
 *
 * @throws HearthError `invalid_value` if the content has another hash; the errors of `stageUpload`.
 */
export async function receiveBlob(source: UploadSource & BlobPlace, digest: string): Promise<void> {
  const target = blobPath(source, digest);
  const hash = createHash('sha256');
  await stageUpload(
    source,
    `${digest.replace(':', '-')}.gguf`,
    async ({ path }) => {
      const received = `sha256:${hash.digest('hex')}`;
      if (received !== digest) {
        throw new HearthError(
          'invalid_value',
          `The content has the digest ${received}, not ${digest}.`,
          { field: 'digest' },
        );
      }
      await rename(path, target);
    },
    (chunk) => hash.update(chunk),
  );
}

/**
 * Moves uploaded files into the library, all or none. Those that are there already stay.
 *
 * @returns the key of the model or adapter
 * @throws HearthError `invalid_value` for names, a file that was not uploaded, of the wrong kind, or without the other parts of its model;
 *   `conflict` if the library has another file of this name; `corrupt_file`; the errors of `placeFiles`.
 */
export async function importBlobs(options: BlobImport): Promise<string> {
  const { modelsFolder, publisher, repo, blobs, kind, signal } = options;
  assertFolderName(publisher, 'publisher');
  assertFreePublisher(publisher);
  assertFolderName(repo, 'repo');
  const folder = join(modelsFolder, publisher, repo);
  if (new Set(blobs.map(({ digest }) => digest)).size < blobs.length) {
    throw invalid('Two names have the same digest.');
  }
  const placings = [];
  for (const { file, digest } of blobs) {
    assertFileName(file);
    const target = join(folder, file);
    if (await isThere(target, digest, signal)) continue;
    const source = blobPath(options, digest);
    if (!(await exists(source))) {
      throw invalid(`There is no file ${digest}. Upload it first: POST /api/blobs/${digest}`);
    }
    await assertKind(source, file, kind, signal);
    placings.push({ source, target });
  }
  try {
    await placeFiles(placings, { how: 'move', signal, onCopied: () => {} });
    const paths = blobs.map(({ file }) => join(folder, file));
    try {
      const key = await findKey({ publisher, repo, folder, paths }, signal);
      if (key !== null) return key;
      throw invalid('The files are not a whole model: name all of its parts.');
    } catch (error) {
      for (const { source, target } of placings) await rename(target, source);
      throw error;
    }
  } finally {
    // Only empty folders are removed.
    for (const empty of [folder, dirname(folder), uploadsFolder(modelsFolder)]) {
      await rmdir(empty).catch(() => {});
    }
  }
}

/** @throws HearthError `conflict` for a file with other content. */
async function isThere(target: string, digest: string, signal: AbortSignal): Promise<boolean> {
  const found = await stat(target).catch(() => undefined);
  if (found === undefined) return false;
  const checksum = { algorithm: 'sha256', hex: digest.slice('sha256:'.length) } as const;
  if (await matchesChecksum(target, found.size, checksum, signal)) return true;
  throw alreadyThere(target);
}

async function assertKind(
  path: string,
  file: string,
  expected: 'model' | 'adapter',
  signal: AbortSignal,
): Promise<void> {
  const { kind } = ggufFacts(await readGgufHeader(path, signal), file);
  if (kind === 'other') throw corruptFile(file, 'is neither a model nor an adapter');
  if ((kind === 'adapter') === (expected === 'adapter')) return;
  throw invalid(`${JSON.stringify(file)} is ${kind === 'adapter' ? 'an adapter' : 'no adapter'}.`);
}

/** Beside the uploads, so that the next server of the home removes it, too. */
function blobPath({ modelsFolder, homeId, owner }: BlobPlace, digest: string): string {
  const hash = createHash('sha256')
    .update(JSON.stringify([owner, digest]))
    .digest('hex');
  return join(uploadsFolder(modelsFolder), `${homeId}.${hash}`);
}

function invalid(message: string): HearthError {
  return new HearthError('invalid_value', message);
}
