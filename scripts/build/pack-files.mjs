import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants } from 'node:zlib';

/** Writes files of a folder into one, for `src/server/web/packed-files.ts`. */
export async function packFiles(folder, names, file) {
  const contents = await Promise.all(names.map((name) => readFile(join(folder, name))));
  const head = JSON.stringify(names.map((name, index) => [name, contents[index].length]));
  const bytes = Buffer.concat([Buffer.from(`${head}\n`), ...contents]);
  const params = {
    [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
    [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
    // Pages that repeat each other may be far apart.
    [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS,
  };
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, await promisify(brotliCompress)(bytes, { params }));
}
