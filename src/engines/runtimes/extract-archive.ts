import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join, posix } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { extract, list, type ReadEntry } from 'tar';
import { openPromise, type Entry } from 'yauzl';

const maxEntries = 10_000;
const tooManyEntries = `the archive has more than ${maxEntries} entries`;
const maxUnpackedBytes = 8 * 1024 ** 3;

/**
 * Unpacks a `.tar.gz` or `.zip` into an empty folder.
 *
 * @throws Error if the archive is damaged or too large, or has a path or link that leaves the folder.
 */
export async function extractArchive(
  archive: string,
  folder: string,
  signal: AbortSignal,
): Promise<void> {
  await mkdir(folder, { recursive: true });
  await (archive.endsWith('.zip')
    ? extractZip(archive, folder, signal)
    : extractTarball(archive, folder, signal));
}

async function extractTarball(file: string, folder: string, signal: AbortSignal): Promise<void> {
  const limit = createLimit();
  let fault: string | undefined;
  await list({
    file,
    strict: true,
    onReadEntry: (entry) => {
      fault ??= limit(entry.size) ?? faultOf(entry);
    },
  });
  if (fault !== undefined) throw new Error(fault);
  await extract({
    file,
    cwd: folder,
    strict: true,
    preserveOwner: false,
    filter: () => !signal.aborted,
  });
  signal.throwIfAborted();
}

function faultOf(entry: ReadEntry): string | undefined {
  const { path, type, linkpath = '' } = entry;
  if (isOutside(path)) return `${JSON.stringify(path)} reaches outside the archive`;
  if (type === 'File' || type === 'OldFile' || type === 'Directory') return undefined;
  if (type !== 'SymbolicLink') return `${JSON.stringify(path)} is a ${type}, which is not allowed`;
  const isEscaping =
    posix.isAbsolute(linkpath) || isOutside(posix.join(posix.dirname(path), linkpath));
  return isEscaping ? `${JSON.stringify(path)} links outside the archive` : undefined;
}

function isOutside(path: string): boolean {
  const normal = posix.normalize(path.replaceAll('\\', '/'));
  return posix.isAbsolute(normal) || normal === '..' || normal.startsWith('../');
}

async function extractZip(file: string, folder: string, signal: AbortSignal): Promise<void> {
  const limit = createLimit();
  // The library rejects entries with absolute names or `..`, and data longer than declared.
  const zip = await openPromise(file, { lazyEntries: true, strictFileNames: true });
  if (zip.entryCount > maxEntries) {
    zip.close();
    throw new Error(tooManyEntries);
  }
  for await (const entry of zip.eachEntry()) {
    signal.throwIfAborted();
    const fault = limit(entry.uncompressedSize);
    if (fault !== undefined) throw new Error(fault);
    if (isSymbolicLink(entry))
      throw new Error(`${JSON.stringify(entry.fileName)} is a link, which is not allowed`);
    const target = join(folder, entry.fileName);
    if (entry.fileName.endsWith('/')) {
      await mkdir(target, { recursive: true });
      continue;
    }
    await mkdir(dirname(target), { recursive: true });
    const content = await zip.openReadStreamPromise(entry);
    await pipeline(content, createWriteStream(target, { flags: 'wx' }), { signal });
  }
}

/** The upper half of the attributes holds the Unix mode. */
function isSymbolicLink(entry: Entry): boolean {
  return ((entry.externalFileAttributes >>> 16) & 0o170000) === 0o120000;
}

/** Counts the entries and bytes of an archive; returns a message once a limit is exceeded. */
function createLimit(): (sizeBytes: number) => string | undefined {
  let entries = 0;
  let unpackedBytes = 0;
  return (sizeBytes) => {
    entries += 1;
    unpackedBytes += sizeBytes;
    if (entries > maxEntries) return tooManyEntries;
    if (unpackedBytes <= maxUnpackedBytes) return undefined;
    return `the archive unpacks to more than ${maxUnpackedBytes} bytes`;
  };
}
