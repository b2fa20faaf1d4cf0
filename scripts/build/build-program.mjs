import { build } from 'esbuild';
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { nodeCheck } from './node-check.mjs';
import { replacements } from './replacements.mjs';

/** `main.js` only chooses the file of the command, so it leaves out what the commands load. */
const withoutCommands = {
  name: 'without-commands',
  setup({ onResolve }) {
    onResolve({ filter: /\.ts$/ }, ({ kind, path }) =>
      kind === 'dynamic-import' ? { path, external: true } : undefined,
    );
  },
};

/** Names stay, and lines have an end, so that the traces of errors can be read. */
export const smaller = { minifyWhitespace: true, minifySyntax: true, lineLimit: 200 };

/**
 * Builds `hearth.cjs`, which has all commands and the library, `cli/main.js`, the program, `cli/quick-start.js` with the quick
 * commands, and `library.js`, which the package exports. Each is one file: Node.js takes longer to load the files of the main build,
 * and its loader of ES modules, than the quick commands run, and the compiled code of one file can be kept.
 *
 * @param outdir `dist/`, or where it is built, with the files of the main build.
 * @param exportedNames Of the library.
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
  // From the main build, in which packages are cut down to what is used.
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
    // Code that an earlier process compiled can't import.
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
  // `main.js` must also be readable for a Node.js that is too old to run it.
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
 * Escapes the other characters that esbuild leaves in regular expressions and comments: V8 needs
 * two bytes for each character of a file that has them. The meaning of the code stays the same,
 * except for raw templates outside regular expressions.
 */
function inAscii(code) {
  // oxlint-disable-next-line no-control-regex -- All that is not ASCII.
  return code.replace(/[^\x00-\x7f]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}
