// Writes the files of docs/ that follow from the code; with --check, fails where one of them differs.
import { build } from 'esbuild';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const isCheck = process.argv.includes('--check');
const root = join(import.meta.dirname, '..');
// Inside the repository, where Node finds the packages.
const bundle = join(root, `.cache/reference-${process.pid}.mjs`);
await mkdir(join(root, '.cache'), { recursive: true });
try {
  await build({
    entryPoints: [join(root, 'src/reference.ts')],
    outfile: bundle,
    bundle: true,
    packages: 'external',
    platform: 'node',
    target: 'node20',
    format: 'esm',
    logLevel: 'warning',
  });
  const { referenceFiles } = await import(pathToFileURL(bundle).href);
  for (const [path, text] of Object.entries(referenceFiles())) {
    const file = join(root, path);
    if (!isCheck) {
      await writeFile(file, text);
      console.log(`Wrote ${path}.`);
    } else if ((await readFile(file, 'utf8').catch(() => '')) !== text) {
      console.error(`${path} is not what the code says. Run: npm run generate`);
      process.exitCode = 1;
    }
  }
} finally {
  await rm(bundle, { force: true });
}
