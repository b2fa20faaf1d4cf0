import { build } from 'esbuild';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
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
 * Builds `cli/main.js`, the program, and `cli/quick-start.js` with the quick commands. Each is one CommonJS file: Node.js
 * takes longer to load the files of the main build, and its loader of ES modules, than the commands run.
 *
 * @param outdir `dist/`, or where it is built.
 */
export async function buildProgram(outdir, external) {
  const plugins = { main: [otherFiles], 'quick-start': [replacements] };
  for (const [name, ofFile] of Object.entries(plugins)) {
    await build({
      entryPoints: { [`cli/${name}`]: `src/cli/${name}.ts` },
      outdir,
      bundle: true,
      external,
      plugins: ofFile,
      mainFields: ['module', 'main'],
      banner: { js: "const hearthUrl = require('node:url').pathToFileURL(__filename).href;" },
      define: { 'import.meta.url': 'hearthUrl' },
      platform: 'node',
      target: 'node20',
      format: 'cjs',
      sourcemap: true,
      logLevel: 'warning',
    });
  }
  await writeFile(join(outdir, 'cli/package.json'), '{ "type": "commonjs" }\n');
}
