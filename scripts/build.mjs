// Builds dist/: the command-line tool, the library, the web app and the files that they read at run time.
import { build } from 'esbuild';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, cp, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { build as buildWebApp } from 'vite';

const entryPoints = {
  'cli/main': 'src/cli/main.ts',
  index: 'src/index.ts',
  watchdog: 'src/processes/watchdog.ts',
  'bench/main': 'bench/main.ts',
  'bench/fake-hub': 'bench/fake-hub.ts',
  'bench/store-writes': 'bench/store-writes.ts',
};

const require = createRequire(import.meta.url);

// Every command loads zod. Bundled, without the messages in fifty languages, it loads in a fifth of the time.
const bundledPackages = ['zod'];
const { dependencies } = JSON.parse(await readFile('package.json', 'utf8'));
const external = Object.keys(dependencies).flatMap((name) =>
  bundledPackages.includes(name) ? [] : [name, `${name}/*`],
);

// Built beside and then put in place, so that a failed build keeps the previous one.
const next = await mkdtemp('.dist-');
try {
  const { metafile } = await build({
    entryPoints: Object.fromEntries(
      Object.entries(entryPoints).filter(([, source]) => existsSync(source)),
    ),
    outdir: next,
    bundle: true,
    splitting: true,
    chunkNames: 'chunks/[name]-[hash]',
    external,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    sourcemap: true,
    metafile: true,
    logLevel: 'warning',
  });
  assertBundled(metafile);
  // They take most of the time, and a clone that starts the server needs none; `npm pack` and `npm run build` do.
  if (process.env.npm_command !== 'ci') await writeTypes(join(next, 'types'));
  await buildWebApp({
    configFile: 'web/vite.config.ts',
    logLevel: 'warn',
    build: { outDir: resolve(next, 'web'), emptyOutDir: true },
  });
  await cp('src/engine/runtimes/wheel-launcher.py', join(next, 'engine/wheel-launcher.py'));
  const swaggerUi = dirname(require.resolve('swagger-ui-dist/package.json'));
  for (const name of bundledPackages) {
    const license = join(dirname(require.resolve(`${name}/package.json`)), 'LICENSE');
    await cp(license, join(next, 'licenses', `${name}.txt`));
  }
  for (const file of ['swagger-ui.css', 'swagger-ui-bundle.js', 'LICENSE', 'NOTICE']) {
    await cp(join(swaggerUi, file), join(next, 'docs', file));
  }
  await chmod(next, 0o755);
  await rm('dist', { recursive: true, force: true });
  await rename(next, 'dist');
} finally {
  await rm(next, { recursive: true, force: true });
}

/** The type declarations of the library. */
async function writeTypes(outDir) {
  const compiler = join(dirname(require.resolve('typescript/package.json')), 'bin/tsc');
  const options = ['--project', 'tsconfig.types.json', '--outDir', outDir];
  await promisify(execFile)(process.execPath, [compiler, ...options]);
}

/** Fails if a package was bundled that should not be, or all of zod (`import { z }` rather than `import * as z`). */
function assertBundled({ outputs }) {
  const used = Object.values(outputs)
    .flatMap(({ inputs }) => Object.entries(inputs))
    .filter(([path, { bytesInOutput }]) => bytesInOutput > 0 && path.startsWith('node_modules/'))
    .map(([path]) => path.slice('node_modules/'.length));
  for (const path of used) {
    if (!bundledPackages.includes(path.split('/')[0])) {
      throw new Error(`${path} is bundled; its package belongs into the dependencies.`);
    }
    if (path.includes('/locales/') && !path.endsWith('/en.js')) {
      throw new Error(`${path} is bundled; import zod with \`import * as z\`.`);
    }
  }
}
