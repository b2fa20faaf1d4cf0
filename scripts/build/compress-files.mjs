import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants } from 'node:zlib';
import { listFiles } from '../lint/import-graph.mjs';

/**
 * Puts a file compressed with Brotli, `NAME.br`, in place of each text file of a folder. The server sends them unchanged, or
 * decompresses them. Takes seconds for each few megabytes.
 */
export async function compressFiles(folder) {
  const names = await listFiles(folder, '.', /\.(?:html|js|mjs|css|svg|txt|md|json|webmanifest)$/);
  await Promise.all(
    names.map(async (name) => {
      const file = join(folder, name);
      const params = {
        [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
        [constants.BROTLI_PARAM_SIZE_HINT]: (await stat(file)).size,
      };
      const bytes = await promisify(brotliCompress)(await readFile(file), { params });
      await writeFile(`${file}.br`, bytes);
      await rm(file);
    }),
  );
}
