import { build } from 'esbuild';
import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { replacements } from './replacements.mjs';

/** `main.js` only chooses the file of the command. */
const withoutCommands = {
  name: 'without-commands',
  setup({ onResolve }) {
    onResolve({ filter: /\.ts$/ }, ({ kind, path }) =>
      kind === 'dynamic-import' ? { path, external: true } : undefined,
    );
  },
};

/**
 * Builds the program: `cli/main.js`, which chooses the file of the command, `cli/quick-start.js` with the quick commands, and
 * `all-commands.cjs`. Each is one CommonJS file: Node.js takes longer to load the files of the main build, and its loader of
 * ES modules, than the quick commands run, and it can keep the compiled code of such a file.
 *
 * @param outdir `dist/`, or where it is built.
 * @returns esbuild's metafile of all commands.
 */
export async function buildProgram(outdir, external) {
  const shared = {
    outdir,
    bundle: true,
    external,
    mainFields: ['module', 'main'],
    platform: 'node',
    target: 'node20',
    logLevel: 'warning',
  };
  const define = { 'import.meta.url': 'hearthUrl', 'import.meta.dirname': '__dirname' };
  const forCommonJs = {
    format: 'cjs',
    // Code that an earlier process compiled can't import.
    supported: { 'dynamic-import': false },
    banner: { js: "const hearthUrl = require('node:url').pathToFileURL(__filename).href;" },
    define,
  };
  const modules = await mkdtemp('.program-');
  let metafile;
  try {
    // What is imported on first use becomes a file of its own here, which cuts packages down to what is used.
    ({ metafile } = await build({
      ...shared,
      entryPoints: { 'all-commands': 'src/cli/all-commands.ts' },
      outdir: modules,
      splitting: true,
      format: 'esm',
      plugins: [replacements],
      metafile: true,
    }));
    await build({
      ...shared,
      entryPoints: { 'all-commands': join(modules, 'all-commands.js') },
      outExtension: { '.js': '.cjs' },
      ...forCommonJs,
    });
  } finally {
    await rm(modules, { recursive: true, force: true });
  }
  const file = join(outdir, 'all-commands.cjs');
  const program = inAscii(await readFile(file, 'utf8'));
  await writeFile(file, program);
  const hash = createHash('sha256').update(program).digest('hex').slice(0, 16);
  const plugins = { main: [withoutCommands], 'quick-start': [replacements] };
  for (const [name, ofFile] of Object.entries(plugins)) {
    await build({
      ...shared,
      entryPoints: { [`cli/${name}`]: `src/cli/${name}.ts` },
      plugins: ofFile,
      ...forCommonJs,
      define: { ...define, allCommandsHash: JSON.stringify(hash) },
      sourcemap: true,
    });
  }
  await writeFile(join(outdir, 'cli/package.json'), '{ "type": "commonjs" }\n');
  return metafile;
}

/**
 * With escapes in place of other characters, which esbuild leaves in regular expressions and comments: V8 needs two bytes for
 * each character of a file that has them. The same for all code but raw templates that are no regular expressions.
 */
function inAscii(code) {
  // oxlint-disable-next-line no-control-regex -- All that is not ASCII.
  return code.replace(/[^\x00-\x7f]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}
