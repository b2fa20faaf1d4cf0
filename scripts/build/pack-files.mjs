import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { compressText } from './compress-files.mjs';

/** Writes the files of a folder into a single file, for `src/server/web/packed-files.ts`. */
export async function packFiles(folder, names, file) {
  const contents = await Promise.all(names.map((name) => readFile(join(folder, name))));
  const head = JSON.stringify(names.map((name, index) => [name, contents[index].length]));
  const bytes = Buffer.concat([Buffer.from(`${head}\n`), ...contents]);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, await compressText(bytes));
}
