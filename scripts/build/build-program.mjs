import { build } from 'esbuild';
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { nodeCheck } from './node-check.mjs';
import { replacements } from './replacements.mjs';

/** `main.js` only chooses the file of the command. */
const otherFiles = {
  name: 'other-files',
  setup({ onResolve }) {
    onResolve({ filter: /\.ts$/ }, ({ kind, path }) => {
      if (kind !== 'dynamic-import') return undefined;
      return { path: path.replace('./', '../').replace('.ts', '.js'), external: true };
    });
  },
};

/**
 * Builds `cli/main.js`, the program, `cli/quick-start.js` with the quick commands, and `all-commands.cjs` for the server. Each is
 * one CommonJS file: Node.js takes longer to load the files of the main build, and its loader of ES modules, than the quick
 * commands run, and the compiled code of one file can be kept.
 *
 * @param outdir `dist/`, or where it is built, with the files of the main build.
 */
export async function buildProgram(outdir, external) {
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
  };
  // From the main build, in which packages are cut down to what is used.
  await build({
    ...shared,
    entryPoints: { 'all-commands': join(outdir, 'all-commands.js') },
    outExtension: { '.js': '.cjs' },
    // Code that an earlier process compiled can't import.
    supported: { 'dynamic-import': false },
    banner: {
      js: `(function (exports, require, module, __filename, __dirname) {${shared.banner.js}`,
    },
    footer: { js: '})' },
  });
  const file = join(outdir, 'all-commands.cjs');
  const program = inAscii(await readFile(file, 'utf8'));
  await writeFile(file, program);

  const allCommandsHash = createHash('sha256').update(program).digest('hex').slice(0, 16);
  const { engines } = JSON.parse(await readFile('package.json', 'utf8'));
  // `main.js` must also be readable for a Node.js that is too old to run it.
  const main = {
    plugins: [otherFiles],
    banner: { js: nodeCheck(engines.node) + shared.banner.js },
    target: 'node12',
  };
  const programs = { main, 'quick-start': { plugins: [replacements] } };
  for (const [name, ofFile] of Object.entries(programs)) {
    await build({
      ...shared,
      ...ofFile,
      entryPoints: { [`cli/${name}`]: `src/cli/${name}.ts` },
      define: { ...shared.define, allCommandsHash: JSON.stringify(allCommandsHash) },
      sourcemap: true,
    });
  }
  await writeFile(join(outdir, 'cli/package.json'), '{ "type": "commonjs" }\n');
}

/**
 * With escapes in place of other characters, which esbuild leaves in regular expressions and comments: V8 needs two bytes for
 * each character of a file that has them. The meaning of the code stays the same, except that of raw templates outside regular expressions.
 */
function inAscii(code) {
  // oxlint-disable-next-line no-control-regex -- All that is not ASCII.
  return code.replace(/[^\x00-\x7f]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}
