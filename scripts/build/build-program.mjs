import { build } from 'esbuild';
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { nodeCheck } from './node-check.mjs';
import { replacements } from './replacements.mjs';

/** Replaces what the commands load, since `main.js` only selects the command's file. */
const withoutCommands = {
  name: 'without-commands',
  setup({ onResolve }) {
    onResolve({ filter: /\.ts$/ }, ({ kind, path }) =>
      kind === 'dynamic-import' ? { path, external: true } : undefined,
    );
  },
};

/** Keeps names and line breaks, so that stack traces are readable. */
export const smaller = { minifyWhitespace: true, minifySyntax: true, lineLimit: 200 };

/**
 * Builds four files: `hearth.cjs` has all commands and the library, `cli/main.js` is the program, `cli/quick-start.js`
 * has the quick commands, and `library.js` is the package's export. Loading the many files of the main build with the
 * ES module loader would take longer than a quick command runs. Also, the compiled code of a single file can be kept.
 *
 * @param outdir `dist/` or its replacement, with the files of the main build.
 * @param exportedNames Exports of the library.
 */
export async function buildProgram(outdir, external, exportedNames) {
  const shared = {
    outdir,
    bundle: true,
    external,
    mainFields: ['module', 'main'],
    banner: { js: "const hearthUrl = require('node:url').pathToFileURL(__filename).href;" },
    define: { 'import.meta.url': 'hearthUrl' },
    platform: 'node',
    target: 'node20',
    format: 'cjs',
    logLevel: 'warning',
    ...smaller,
  };
  const file = join(outdir, 'hearth.cjs');
  // Uses the main build, from which unused code of packages is already removed.
  await build({
    ...shared,
    stdin: {
      contents: `
        export { run } from './all-commands.js';
        export const loadLibrary = () => import('./index.js');
      `,
      resolveDir: outdir,
    },
    outdir: undefined,
    outfile: file,
    // Code that is loaded from V8's cache can't use `import()`.
    supported: { 'dynamic-import': false },
    banner: {
      js: `(function (exports, require, module, __filename, __dirname) {${shared.banner.js}`,
    },
    footer: { js: '})' },
  });
  const program = inAscii(await readFile(file, 'utf8'));
  await writeFile(file, program);

  const programHash = createHash('sha256').update(program).digest('hex').slice(0, 16);
  const { engines } = JSON.parse(await readFile('package.json', 'utf8'));
  // `main.js` must also be valid in a Node.js that is too old to run the program.
  const main = {
    plugins: [withoutCommands],
    banner: { js: nodeCheck(engines.node) + shared.banner.js },
    target: 'node12',
  };
  const programs = { main, 'quick-start': { plugins: [replacements] } };
  for (const [name, ofFile] of Object.entries(programs)) {
    await build({
      ...shared,
      ...ofFile,
      entryPoints: { [`cli/${name}`]: `src/cli/${name}.ts` },
      define: { ...shared.define, programHash: JSON.stringify(programHash) },
      sourcemap: true,
    });
  }
  await build({
    ...shared,
    stdin: {
      contents: `
        import { fileURLToPath } from 'node:url';
        import { loadWithCompiledCode } from './src/cli/compiled-code.ts';
        const file = fileURLToPath(new URL('hearth.cjs', import.meta.url));
        const { loadLibrary } = loadWithCompiledCode(file, programHash).exports;
        export const { ${exportedNames.join(', ')} } = await loadLibrary();
      `,
      resolveDir: process.cwd(),
    },
    outdir: undefined,
    outfile: join(outdir, 'library.js'),
    banner: {},
    define: { programHash: JSON.stringify(programHash) },
    format: 'esm',
  });
  await writeFile(join(outdir, 'cli/package.json'), '{ "type": "commonjs" }\n');
}

/**
 * Escapes the non-ASCII characters that esbuild leaves in regular expressions and comments: V8 needs two bytes per
 * character for a file that has any. The meaning of the code stays the same, except for raw templates outside of
 * regular expressions.
 */
function inAscii(code) {
  // oxlint-disable-next-line no-control-regex -- All that is not ASCII.
  return code.replace(/[^\x00-\x7f]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}
