import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { brotliDecompress } from 'node:zlib';
import { errorCode } from '../../kernel/error-code.ts';
import { copyOf, staticFile, type StaticFile, type StaticFiles } from './static-files.ts';

/**
 * Reads the files of a packed folder into memory; empty if it is missing. `scripts/build/pack-files.mjs` writes it: a
 * line of JSON with the name and size of each file, then their bytes, compressed together with Brotli. Similar pages
 * take much less space in one file.
 */
export async function readPackedFiles(path: string): Promise<StaticFiles> {
  const packed = await readFile(path).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  });
  const files = new Map<string, StaticFile>();
  if (packed === undefined) return files;
  const bytes = await promisify(brotliDecompress)(packed);
  const endOfLine = bytes.indexOf('\n');
  const entries = JSON.parse(bytes.toString('utf8', 0, endOfLine)) as readonly [string, number][];
  let start = endOfLine + 1;
  for (const [name, sizeBytes] of entries) {
    const content = bytes.subarray(start, start + sizeBytes);
    start += sizeBytes;
    const file = staticFile(name, async () => copyOf(content));
    if (file !== undefined) files.set(name, file);
  }
  return files;
}
