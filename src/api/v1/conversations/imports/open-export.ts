import { createReadStream } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { openPromise, type Entry, type ZipFile } from 'yauzl';
import { HearthError } from '../../../../kernel/errors/errors.ts';

const maxEntries = 200_000;
/** Maximum total size of an archive's JSON files. */
const maxUnpackedBytes = 4 * 1024 ** 3;

/** A JSON file of an export. */
export interface ExportFile {
  readonly sizeBytes: number;
  /** @throws HearthError `invalid_value` for damaged data, or more data than declared. */
  chunks(): AsyncIterable<Uint8Array>;
}

interface OpenExport {
  readonly files: readonly ExportFile[];
  close(): void;
}

/**
 * Opens the JSON files of an export: the files in a zip archive, or the file itself.
 *
 * @throws HearthError `invalid_value` for a damaged or too large archive.
 */
export async function openExport(path: string): Promise<OpenExport> {
  if (!(await isZip(path))) {
    const { size: sizeBytes } = await stat(path);
    return { files: [{ sizeBytes, chunks: () => createReadStream(path) }], close: () => {} };
  }
  let zip: ZipFile | undefined;
  try {
    zip = await openPromise(path, { lazyEntries: true, autoClose: false });
    const files = await jsonFilesOf(zip);
    return { files, close: () => zip?.close() };
  } catch (error) {
    zip?.close();
    throw error instanceof HearthError ? error : damaged(error);
  }
}

/** The error for a damaged archive. */
function damaged(error: unknown): HearthError {
  const reason = error instanceof Error ? error.message : String(error);
  return new HearthError('invalid_value', `The archive can't be read: ${reason}.`, {
    cause: error,
  });
}

async function isZip(path: string): Promise<boolean> {
  const file = await open(path);
  try {
    const { buffer } = await file.read(Buffer.alloc(4), 0, 4, 0);
    return buffer.equals(Buffer.from([0x50, 0x4b, 0x03, 0x04]));
  } finally {
    await file.close();
  }
}

/** Lists the archive's JSON files. Their declared sizes can be trusted, since the library enforces them while it unpacks. */
async function jsonFilesOf(zip: ZipFile): Promise<readonly ExportFile[]> {
  if (zip.entryCount > maxEntries) throw tooLarge(`more than ${maxEntries} files`);
  const entries: Entry[] = [];
  let unpackedBytes = 0;
  for await (const entry of zip.eachEntry()) {
    if (!/\.json$/i.test(entry.fileName) || entry.isEncrypted()) continue;
    unpackedBytes += entry.uncompressedSize;
    if (unpackedBytes > maxUnpackedBytes) {
      throw tooLarge(`more than ${maxUnpackedBytes} bytes of JSON`);
    }
    entries.push(entry);
  }
  return entries.map((entry) => ({
    sizeBytes: entry.uncompressedSize,
    chunks: () => unpack(zip, entry),
  }));
}

async function* unpack(zip: ZipFile, entry: Entry): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of await zip.openReadStreamPromise(entry)) yield chunk as Uint8Array;
  } catch (error) {
    throw damaged(error);
  }
}

function tooLarge(excess: string): HearthError {
  return new HearthError('invalid_value', `The archive has ${excess}.`);
}
