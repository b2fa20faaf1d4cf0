import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants } from 'node:zlib';
import { listFiles } from '../lint/import-graph.mjs';

/**
 * Replaces each text file of a folder with a Brotli file, `NAME.br`. The server sends it unchanged, or decompresses it.
 * Takes seconds for a few megabytes.
 */
export async function compressFiles(folder) {
  const names = await listFiles(folder, '.', /\.(?:html|js|mjs|css|svg|txt|md|json|webmanifest)$/);
  await Promise.all(
    names.map(async (name) => {
      const file = join(folder, name);
      await writeFile(`${file}.br`, await compressText(await readFile(file)));
      await rm(file);
    }),
  );
}

/** Compresses text with Brotli. */
export function compressText(bytes) {
  const params = {
    [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
    [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
    // A large window, since similar pages may be far apart.
    [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS,
  };
  return promisify(brotliCompress)(bytes, { params });
}
