// Builds dist/: the command-line tool, the library and the files that they read at run time.
import { build } from 'esbuild';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, cp, mkdtemp, rename, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const entryPoints = {
  'cli/main': 'src/cli/main.ts',
  index: 'src/index.ts',
  watchdog: 'src/processes/watchdog.ts',
  'bench/main': 'bench/main.ts',
  'bench/fake-hub': 'bench/fake-hub.ts',
};

const require = createRequire(import.meta.url);

// Built beside and then put in place, so that a failed build keeps the previous one.
const next = await mkdtemp('.dist-');
try {
  await build({
    entryPoints: Object.fromEntries(
      Object.entries(entryPoints).filter(([, source]) => existsSync(source)),
    ),
    outdir: next,
    bundle: true,
    splitting: true,
    chunkNames: 'chunks/[name]-[hash]',
    packages: 'external',
    platform: 'node',
    target: 'node20',
    format: 'esm',
    sourcemap: true,
    logLevel: 'warning',
  });
  const types = ['--project', 'tsconfig.types.json', '--outDir', join(next, 'types')];
  await promisify(execFile)(process.execPath, [
    join(dirname(require.resolve('typescript/package.json')), 'bin/tsc'),
    ...types,
  ]);
  await cp('src/engine/runtimes/wheel-launcher.py', join(next, 'engine/wheel-launcher.py'));
  const swaggerUi = dirname(require.resolve('swagger-ui-dist/package.json'));
  for (const file of ['swagger-ui.css', 'swagger-ui-bundle.js', 'LICENSE', 'NOTICE']) {
    await cp(join(swaggerUi, file), join(next, 'docs', file));
  }
  await chmod(next, 0o755);
  await rm('dist', { recursive: true, force: true });
  await rename(next, 'dist');
} finally {
  await rm(next, { recursive: true, force: true });
}
