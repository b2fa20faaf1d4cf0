import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, readdir, rm, rmdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { HearthError } from '../../kernel/errors/errors.ts';
import { freeBytesOf } from '../../platform/files/free-bytes.ts';
import { flushFile } from '../../platform/files/unfinished-files.ts';
import { isDiskFull } from '../disk-full.ts';
import { corruptFile } from '../gguf/byte-source.ts';

/** The body of an upload, and the library that receives it. */
export interface UploadSource {
  readonly modelsFolder: string;
  /** Id of the home folder. If this server is killed, the next server of this home removes the upload. */
  readonly homeId: string;
  readonly body: AsyncIterable<Uint8Array>;
  /** Length of the body if the client declared it. */
  readonly declaredBytes?: number | undefined;
  readonly signal: AbortSignal;
  /** Free bytes on the disk of a folder; tests replace it. */
  readonly readFreeBytes?: (folder: string) => Promise<number>;
}

interface StagedFile {
  readonly path: string;
  readonly sizeBytes: number;
}

/** Hidden, so that the library skips it. It is on the library's disk, so that a rename can publish a file. */
const uploadsName = '.uploads';
/** Kept free for the database and the log when an upload fills the disk. */
const reservedBytes = 256 * 1024 * 1024;
const checkEveryBytes = 256 * 1024 * 1024;
const abandonedAfterMs = 24 * 3600 * 1000;

export function uploadsFolder(modelsFolder: string): string {
  return join(modelsFolder, uploadsName);
}

/**
 * Writes a GGUF file next to the library while it arrives, and calls `publish`. Afterwards, removes the file unless
 * `publish` moved it.
 *
 * @param file Name of the file.
 * @param onChunk Called with each chunk, in order.
 * @throws HearthError `corrupt_file`, as soon as the first bytes show it; `insufficient_disk`; the errors of `publish`;
 * the signal's reason when aborted.
 */
export async function stageUpload<Published>(
  source: UploadSource,
  file: string,
  publish: (staged: StagedFile) => Promise<Published>,
  onChunk: (chunk: Uint8Array) => void = () => {},
): Promise<Published> {
  const { modelsFolder, homeId, declaredBytes = 0, readFreeBytes = freeBytesOf } = source;
  const uploads = uploadsFolder(modelsFolder);
  await removeAbandoned(uploads);
  const staging = join(uploads, `${homeId}.${randomUUID()}`);
  await mkdir(staging, { recursive: true });
  try {
    const assertRoom = async (neededBytes: number): Promise<void> => {
      const freeBytes = (await readFreeBytes(uploads)) - reservedBytes;
      if (neededBytes > freeBytes) throw diskFull(neededBytes, freeBytes);
    };
    await assertRoom(declaredBytes);
    const path = join(staging, file);
    const sizeBytes = await writeBody(source, path, { assertRoom, onChunk });
    return await publish({ path, sizeBytes });
  } catch (error) {
    throw isDiskFull(error) ? diskFull(declaredBytes, 0, error) : error;
  } finally {
    await rm(staging, { recursive: true, force: true });
    // `rmdir` fails if the folder has other uploads.
    await rmdir(uploads).catch(() => {});
  }
}

/** @returns the number of bytes. */
async function writeBody(
  { body, signal }: UploadSource,
  path: string,
  {
    assertRoom,
    onChunk,
  }: {
    readonly assertRoom: (neededBytes: number) => Promise<void>;
    readonly onChunk: (chunk: Uint8Array) => void;
  },
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
          throw corruptFile(basename(path), 'is not a GGUF file');
        }
      }
      if (uncheckedBytes >= checkEveryBytes) {
        await assertRoom(checkEveryBytes);
        uncheckedBytes = 0;
      }
      onChunk(chunk);
      yield chunk;
    }
  }
  await pipeline(body, checked, createWriteStream(path, { flags: 'wx' }), { signal });
  await flushFile(path);
  return sizeBytes;
}

/** Removes partial uploads of a killed server of this home folder. Must not be called while a server of this home runs. */
export async function removePartialUploads(modelsFolder: string, homeId: string): Promise<void> {
  const uploads = uploadsFolder(modelsFolder);
  for (const name of await readdir(uploads).catch(() => [])) {
    if (name.startsWith(`${homeId}.`)) await rm(join(uploads, name), { recursive: true });
  }
  await rmdir(uploads).catch(() => {});
}

/** Removes old uploads of other home folders that share the models folder, whose servers were killed. */
async function removeAbandoned(uploads: string): Promise<void> {
  for (const name of await readdir(uploads).catch(() => [])) {
    const path = join(uploads, name);
    const found = await stat(path).catch(() => undefined);
    if (found !== undefined && Date.now() - found.mtimeMs > abandonedAfterMs)
      await rm(path, { recursive: true, force: true });
  }
}

function diskFull(neededBytes: number, freeBytes: number, cause?: unknown): HearthError {
  const needed = neededBytes > 0 ? ` for ${neededBytes} bytes` : '';
  return new HearthError(
    'insufficient_disk',
    `The disk of the models folder has no space${needed}: ${Math.max(0, freeBytes)} bytes are free. Free some space, then upload the file again.`,
    { cause },
  );
}
