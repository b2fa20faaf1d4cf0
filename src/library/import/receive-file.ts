import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, readdir, rm, rmdir, stat, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { HearthError } from '../../kernel/errors/errors.ts';
import { flushFile } from '../../platform/files/unfinished-files.ts';
import { isDiskFull } from '../disk-full.ts';
import { assertFolderName, assertFreePublisher, isPortableFileName } from '../folder-name.ts';
import { ggufFacts } from '../gguf/facts.ts';
import { corruptFile } from '../gguf/byte-source.ts';
import { readGgufHeader } from '../gguf/header.ts';
import { exists } from '../link-or-rename.ts';
import { findKey } from './import-source.ts';
import { placeFiles } from './place-files.ts';

interface ReceiveOptions {
  readonly modelsFolder: string;
  /** Id of the home folder, whose next server removes the upload if this one is killed. */
  readonly homeId: string;
  readonly publisher: string;
  readonly repo: string;
  /** Name of the file, `*.gguf`. */
  readonly file: string;
  readonly body: AsyncIterable<Uint8Array>;
  /** Length of the body if it is known before. */
  readonly declaredBytes?: number | undefined;
  readonly signal: AbortSignal;
  /** Free bytes on the disk of a folder; replaced in tests. */
  readonly readFreeBytes?: (folder: string) => Promise<number>;
}

interface ReceivedFile {
  /** null while other parts of the model are missing. */
  readonly key: string | null;
  readonly sizeBytes: number;
}

/** Hidden, so that the library skips it; on the disk of the library. */
const uploadsName = '.uploads';
/** Left for the database and the log when an upload fills the disk. */
const reservedBytes = 256 * 1024 * 1024;
const checkEveryBytes = 256 * 1024 * 1024;
const abandonedAfterMs = 24 * 3600 * 1000;

/**
 * Writes a GGUF file next to the library while it arrives, checks its header, and then publishes it. An upload that
 * fails leaves nothing.
 *
 * @throws HearthError `invalid_value` for a name; `conflict` if the file exists; `corrupt_file`, as soon as the
 *   first bytes show it; `insufficient_disk`; the signal's reason when aborted.
 */
export async function receiveFile(options: ReceiveOptions): Promise<ReceivedFile> {
  const { modelsFolder, homeId, publisher, repo, file, declaredBytes = 0, signal } = options;
  const { readFreeBytes = freeBytesOf } = options;
  assertFolderName(publisher, 'publisher');
  assertFreePublisher(publisher);
  assertFolderName(repo, 'repo');
  assertFileName(file);
  const folder = join(modelsFolder, publisher, repo);
  const target = join(folder, file);
  if (await exists(target)) throw alreadyThere(file);

  const uploads = join(modelsFolder, uploadsName);
  await removeAbandoned(uploads);
  const staging = join(uploads, `${homeId}.${randomUUID()}`);
  await mkdir(staging, { recursive: true });
  try {
    const assertRoom = async (neededBytes: number): Promise<void> => {
      const freeBytes = (await readFreeBytes(uploads)) - reservedBytes;
      if (neededBytes > freeBytes) throw diskFull(neededBytes, freeBytes);
    };
    await assertRoom(declaredBytes);
    const staged = join(staging, file);
    const sizeBytes = await writeBody(options, staged, assertRoom);
    const { kind } = ggufFacts(await readGgufHeader(staged, signal), file);
    if (kind === 'other') throw corruptFile(file, 'is neither a model nor an adapter');
    await placeFiles([{ source: staged, target }], { how: 'move', signal, onCopied: () => {} });
    return { key: await findKey({ publisher, repo, folder, paths: [target] }, signal), sizeBytes };
  } catch (error) {
    throw isDiskFull(error) ? diskFull(declaredBytes, 0, error) : error;
  } finally {
    await rm(staging, { recursive: true, force: true });
    // Only empty folders are removed.
    for (const empty of [uploads, folder, dirname(folder)]) await rmdir(empty).catch(() => {});
  }
}

/** @returns the number of bytes. */
async function writeBody(
  { body, file, signal }: ReceiveOptions,
  path: string,
  assertRoom: (neededBytes: number) => Promise<void>,
): Promise<number> {
  let sizeBytes = 0;
  async function* checked(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    let uncheckedBytes = 0;
    let head = Buffer.alloc(0);
    for await (const chunk of chunks) {
      sizeBytes += chunk.byteLength;
      uncheckedBytes += chunk.byteLength;
      if (head.byteLength < 4) {
        head = Buffer.concat([head, chunk]).subarray(0, 4);
        if (!'GGUF'.startsWith(head.toString('latin1'))) {
          throw corruptFile(file, 'is not a GGUF file');
        }
      }
      if (uncheckedBytes >= checkEveryBytes) {
        await assertRoom(checkEveryBytes);
        uncheckedBytes = 0;
      }
      yield chunk;
    }
  }
  await pipeline(body, checked, createWriteStream(path, { flags: 'wx' }), { signal });
  await flushFile(path);
  return sizeBytes;
}

/** Removes what a killed server of this home folder has received. No server of the home may run. */
export async function removePartialUploads(modelsFolder: string, homeId: string): Promise<void> {
  const uploads = join(modelsFolder, uploadsName);
  for (const name of await readdir(uploads).catch(() => [])) {
    if (name.startsWith(`${homeId}.`)) await rm(join(uploads, name), { recursive: true });
  }
  await rmdir(uploads).catch(() => {});
}

/** Uploads of a killed server of another home folder, with the same models folder, stay behind. */
async function removeAbandoned(uploads: string): Promise<void> {
  for (const name of await readdir(uploads).catch(() => [])) {
    const path = join(uploads, name);
    const found = await stat(path).catch(() => undefined);
    if (found !== undefined && Date.now() - found.mtimeMs > abandonedAfterMs)
      await rm(path, { recursive: true, force: true });
  }
}

function assertFileName(file: string): void {
  const isAllowed = isPortableFileName(file) && /.\.gguf$/i.test(file) && !file.startsWith('.');
  if (isAllowed) return;
  throw new HearthError(
    'invalid_value',
    `${JSON.stringify(file.slice(0, 255))} is not the name of a GGUF file: it ends with .gguf, has at most 255 bytes, ` +
      'none of / \\ : * ? " < > |, no control characters, no dot at the start, and is not a device name of Windows such as CON.',
    { field: 'file' },
  );
}

async function freeBytesOf(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}

function diskFull(neededBytes: number, freeBytes: number, cause?: unknown): HearthError {
  const needed = neededBytes > 0 ? ` for ${neededBytes} bytes` : '';
  return new HearthError(
    'insufficient_disk',
    `The disk of the models folder has no space${needed}: ${Math.max(0, freeBytes)} bytes are free. Free some space, then upload the file again.`,
    { cause },
  );
}

function alreadyThere(file: string): HearthError {
  return new HearthError(
    'conflict',
    `The library already has a file ${file} there. Delete its model, or give another publisher or repository.`,
  );
}
