import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Plugin } from 'vite';

const compressible = /\.(html|js|css|svg|webmanifest|txt)$/;

/** Writes each text file of the build also as `.br` and `.gz`, which the server sends. */
export function compressed(): Plugin {
  let folder = '';
  return {
    name: 'compressed',
    apply: 'build',
    configResolved: ({ root, build }) => {
      folder = join(root, build.outDir);
    },
    writeBundle: {
      sequential: true,
      async handler({ dir }) {
        folder = dir ?? folder;
        const names = await readdir(folder, { recursive: true });
        await Promise.all(
          names
            .filter((name) => compressible.test(name))
            .map((name) => compress(join(folder, name))),
        );
      },
    },
  };
}

async function compress(file: string): Promise<void> {
  const bytes = await readFile(file);
  const [brotli, gzipped] = await Promise.all([
    // The highest quality takes seconds for the reader of PDFs, and saves 3 %.
    promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
    promisify(gzip)(bytes, { level: 9 }),
  ]);
  if (brotli.length < bytes.length) await writeFile(`${file}.br`, brotli);
  if (gzipped.length < bytes.length) await writeFile(`${file}.gz`, gzipped);
}
