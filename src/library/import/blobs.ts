import { createHash } from 'node:crypto';
import { rename, rm, rmdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { HearthError } from '../../kernel/errors/errors.ts';
import { matchesChecksum } from '../downloads/content-hash.ts';
import { futureKeyOf } from '../downloads/model-keys.ts';
import { ignoreUnreadable } from '../folder-entries.ts';
import { repositoryFolder } from '../folder-name.ts';
import { corruptFile } from '../gguf/byte-source.ts';
import { ggufFacts } from '../gguf/facts.ts';
import { readGgufHeader } from '../gguf/header.ts';
import { exists } from '../link-or-rename.ts';
import { scanRepository } from '../scan-repository.ts';
import { findPlaced } from './import-source.ts';
import { alreadyThere, type FilePlacing, placeFiles } from './place-files.ts';
import { assertFileName } from './receive-file.ts';
import { stageUpload, uploadsFolder, type UploadSource } from './stage-upload.ts';

/** An owner's files, uploaded by hash before an import names them. They are kept for a day. */
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
  /** The expected kind of the files. A model may consist of several parts and a projector. */
  readonly kind: 'model' | 'adapter';
  readonly signal: AbortSignal;
}

interface ImportedBlobs {
  /** Key of the model or adapter, which is named after its folder. */
  readonly key: string;
  /** Moves the files back to the owner's uploads. */
  readonly undo: () => Promise<void>;
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
 * Moves all uploaded files into the library, or none. Files that are already in the library stay unchanged.
 *
 * @throws HearthError `invalid_value` for an invalid name, a file that was not uploaded or has the wrong kind, or files
 * that are not one whole model; `conflict` if the library has another file there; `corrupt_file`; the errors of
 * `placeFiles`.
 */
export async function importBlobs(options: BlobImport): Promise<ImportedBlobs> {
  const { modelsFolder, publisher, repo, blobs, signal } = options;
  const folder = repositoryFolder(modelsFolder, publisher, repo);
  const paths = blobs.map(({ file }) => join(folder, file));
  const placings = await planPlacings(options, folder);
  await assertNoOthers(options, folder, paths);
  const undo = async (): Promise<void> => {
    await moveBack(placings);
    await removeEmpty(modelsFolder, folder);
  };
  try {
    await placeFiles(placings, { how: 'move', signal, onCopied: () => {} });
    try {
      const found = await findPlaced({ publisher, repo, folder, paths }, signal);
      const isWhole = paths.every((path) => found?.files.includes(path) === true);
      const key = futureKeyOf({ owner: publisher, name: repo });
      if (isWhole && found?.key === key) return { key, undo };
      throw invalid(
        'The files are not one whole model: name all of its parts, and no files of other models.',
      );
    } catch (error) {
      // If a file can't be moved back, it stays in the library.
      await moveBack(placings).catch(() => {});
      throw error;
    }
  } finally {
    await removeEmpty(modelsFolder, folder);
  }
}

/** Checks the files before any is moved. */
async function planPlacings(options: BlobImport, folder: string): Promise<readonly FilePlacing[]> {
  const { blobs, kind, signal } = options;
  if (new Set(blobs.map(({ digest }) => digest)).size < blobs.length) {
    throw invalid('Two names have the same digest.');
  }
  const placings: FilePlacing[] = [];
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
  return placings;
}

/**
 * Other files in the folder would change the model's name or become variants of the model.
 *
 * @throws HearthError `conflict`
 */
async function assertNoOthers(
  { publisher, repo }: BlobImport,
  folder: string,
  paths: readonly string[],
): Promise<void> {
  const place = { root: { folder }, publisher, name: repo, folder };
  const { files } = await scanRepository(place, ignoreUnreadable);
  const other = files.find(({ path }) => !paths.includes(path));
  if (other === undefined) return;
  throw new HearthError(
    'conflict',
    `The library already has ${JSON.stringify(other.name)} in ${publisher}/${repo}. Delete its model first (hearth rm), or give another name.`,
  );
}

/** Uses its own signal, since the request may be aborted. */
async function moveBack(placings: readonly FilePlacing[]): Promise<void> {
  const { signal } = new AbortController();
  for (const { source, target } of placings) {
    // The file may have been uploaded again meanwhile.
    if (await exists(source)) await rm(target, { force: true });
    else
      await placeFiles([{ source: target, target: source }], {
        how: 'move',
        signal,
        onCopied: () => {},
      });
  }
}

/** Removes the folders of an import if they are empty. */
async function removeEmpty(modelsFolder: string, folder: string): Promise<void> {
  for (const empty of [folder, dirname(folder), uploadsFolder(modelsFolder)]) {
    await rmdir(empty).catch(() => {});
  }
}

/** True if the target has this content. @throws HearthError `conflict` if it has other content. */
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

/** Stored beside the uploads, so that the next server of the home folder removes it, too. */
function blobPath({ modelsFolder, homeId, owner }: BlobPlace, digest: string): string {
  const hash = createHash('sha256')
    .update(JSON.stringify([owner, digest]))
    .digest('hex');
  return join(uploadsFolder(modelsFolder), `${homeId}.${hash}`);
}

function invalid(message: string): HearthError {
  return new HearthError('invalid_value', message);
}
