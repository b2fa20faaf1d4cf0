// Builds dist/: the command-line tool, the library, the web app and the files that they read at run time.
import { build } from 'esbuild';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, cp, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { build as buildWebApp } from 'vite';
import { bundledPackages, licenseTexts } from './build/bundled-packages.mjs';
import { compressFiles } from './build/compress-files.mjs';
import { buildProgram, smaller } from './build/build-program.mjs';
import { pdfJs } from './build/pdf-js.mjs';
import { replacements } from './build/replacements.mjs';
import { importsOf, listFiles } from './lint/import-graph.mjs';

const entryPoints = {
  'all-commands': 'src/cli/all-commands.ts',
  index: 'src/index.ts',
  'bench/main': 'bench/main.ts',
  'bench/fake-hub': 'bench/fake-hub.ts',
  'bench/node-pipe': 'bench/node-pipe.ts',
  'bench/store-writes': 'bench/store-writes.ts',
  'bench/ceiling': 'bench/ceiling.ts',
  'bench/gateways': 'bench/gateways.ts',
  'bench/request-cpu': 'bench/request-cpu.ts',
  'bench/scripted-upstream': 'bench/scripted-upstream.ts',
};

/** Entry points of separate processes and threads, each bundled into one file. */
const threads = {
  watchdog: 'src/platform/processes/watchdog.ts',
  'statement-thread': 'src/store/statement-thread-main.ts',
  'json-thread': 'src/api/kit/body/json-thread-main.ts',
  'audio-thread': 'src/chat/audio/audio-thread-main.ts',
};

const require = createRequire(import.meta.url);

// Node.js loads a few large files much faster than the files of fifty packages, so everything is
// bundled except native packages.
const { dependencies } = JSON.parse(await readFile('package.json', 'utf8'));
const external = Object.keys(dependencies);

// Builds into a new folder and then replaces the old one, so that a failed build keeps the previous one.
const next = await mkdtemp('.dist-');
try {
  const shared = {
    outdir: next,
    bundle: true,
    external,
    plugins: [replacements],
    // Prefers ESM, from which unused code can be removed.
    mainFields: ['module', 'main'],
    // Defines `require` for bundled CommonJS packages.
    banner: {
      js: "import { createRequire as createHearthRequire } from 'node:module'; const require = createHearthRequire(import.meta.url);",
    },
    platform: 'node',
    target: 'node20',
    format: 'esm',
    sourcemap: true,
    metafile: true,
    logLevel: 'warning',
  };
  const main = await build({
    ...shared,
    entryPoints: Object.fromEntries(
      Object.entries(entryPoints).filter(([, source]) => existsSync(source)),
    ),
    splitting: true,
    chunkNames: 'chunks/[name]-[hash]',
  });
  const ofThreads = await build({ ...shared, ...smaller, entryPoints: threads });
  // In several files, since only PDFs need the largest one.
  const ofDocuments = await build({
    ...shared,
    ...smaller,
    entryPoints: { 'document-thread': 'src/chat/documents/read/document-thread-main.ts' },
    plugins: [replacements, pdfJs],
    splitting: true,
    chunkNames: 'documents/[name]-[hash]',
  });
  for (const { metafile } of [main, ofThreads, ofDocuments]) assertSmall(metafile);
  await buildProgram(next, external, exportsOf(main.metafile, 'src/index.ts'));
  const packages = bundledPackages(main.metafile, ofThreads.metafile, ofDocuments.metafile);
  // Types take most of the time. `npm ci` in a clone does not need them to start the server; `npm pack` and `npm run
  // build` do.
  if (process.env.npm_command !== 'ci') await writeTypes(join(next, 'types'));
  await buildWebApp({
    configFile: 'web/vite.config.ts',
    logLevel: 'warn',
    build: { outDir: resolve(next, 'web'), emptyOutDir: true },
  });
  await cp('src/engines/runtimes/wheel-launcher.py', join(next, 'engine/wheel-launcher.py'));
  await cp('src/engines/backends/mlx/mlx-launcher.py', join(next, 'engine/mlx-launcher.py'));
  await cp(
    'src/engines/backends/mlx/mlx-requirements.txt',
    join(next, 'engine/mlx-requirements.txt'),
  );
  const ofServer = await licenseTexts(packages);
  const ofWebApp = await readFile(join(next, 'web/licenses.txt'), 'utf8');
  await writeFile(join(next, 'licenses.txt'), `${ofServer}\n${ofWebApp}`);
  await rm(join(next, 'web/licenses.txt'));
  await writeFile(join(next, 'build.json'), JSON.stringify(await buildFacts()));
  // Compresses only for a package, where size matters; in a clone, build time matters.
  if (/^(pack|publish)$/.test(process.env.npm_command)) await compressFiles(join(next, 'web'));
  // Keeps the documentation, which `npm run build:site` builds separately, since it takes longer than everything else.
  if (existsSync('dist/docs/pages.br')) await rename('dist/docs', join(next, 'docs'));
  await chmod(next, 0o755);
  await rm('dist', { recursive: true, force: true });
  await rename(next, 'dist');
} finally {
  await rm(next, { recursive: true, force: true });
}

function exportsOf({ outputs }, entryPoint) {
  return Object.values(outputs).find((output) => output.entryPoint === entryPoint).exports;
}

/** Facts for `hearth version`. The commit is null without git, unless SOURCE_COMMIT is set. */
async function buildFacts() {
  const describe = ['describe', '--always', '--dirty', '--abbrev=12', '--exclude=*'];
  const commit = await promisify(execFile)('git', describe).then(
    ({ stdout }) => stdout.trim(),
    () => null,
  );
  const seconds = process.env.SOURCE_DATE_EPOCH;
  const builtAt = seconds === undefined ? new Date() : new Date(Number(seconds) * 1000);
  return { commit: process.env.SOURCE_COMMIT || commit, builtAt: builtAt.toISOString() };
}

/** Writes the type declarations of the library. The compiler writes many; only those that `index.d.ts` imports are kept. */
async function writeTypes(outDir) {
  const compiler = join(dirname(require.resolve('typescript/package.json')), 'bin/tsc');
  const options = ['--project', 'tsconfig.types.json', '--outDir', outDir];
  await promisify(execFile)(process.execPath, [compiler, ...options]);
  // The table's own declaration imports types of zod, which the package does not depend on.
  const { $defs: settings } = JSON.parse(await readFile('docs/config.schema.json', 'utf8'));
  const keys = Object.keys(settings).map((key) => `'${key}'`);
  const table = join(outDir, 'src/settings/settings-table.d.ts');
  await writeFile(table, `export type SettingKey = ${keys.join(' | ')};\n`);
  const declarations = await listFiles(outDir, '.', /\.d\.ts$/);
  const needed = await reachableFrom(outDir, 'src/index.d.ts');
  const others = declarations.filter((file) => !needed.has(file));
  await Promise.all(others.map((file) => rm(join(outDir, file))));
}

/** A declaration file and all that it imports, directly or indirectly, as paths from `folder`. */
async function reachableFrom(folder, file, seen = new Set()) {
  if (seen.has(file)) return seen;
  seen.add(file);
  const imports = importsOf(file, await readFile(join(folder, file), 'utf8'));
  for (const { to } of imports) {
    if (!to.startsWith('src/')) throw new Error(`The declarations of ${file} need ${to}.`);
    await reachableFrom(folder, to.replace(/\.ts$/, '.d.ts'), seen);
  }
  return seen;
}

/** Fails if all of zod is bundled (`import { z }` instead of `import * as z`), including messages in fifty languages. */
function assertSmall({ outputs }) {
  const locale = Object.values(outputs)
    .flatMap(({ inputs }) => Object.entries(inputs))
    .find(
      ([path, { bytesInOutput }]) => /\/zod\/.*\/locales\/(?!en\.)/.test(path) && bytesInOutput > 0,
    );
  if (locale !== undefined) throw new Error(`${locale[0]} is bundled; use \`import * as z\`.`);
}
