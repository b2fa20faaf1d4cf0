// Writes the files that are derived from code and data; with --check, fails if one of them differs.
import { build } from 'esbuild';
import { format } from 'oxfmt';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { modules } from './lint/modules.mjs';
import { textValuesModule } from './lint/catalogues.mjs';
import { moduleMarkdown, modulesMarkdown } from './lint/modules-markdown.mjs';
import {
  readCoveringTests,
  readRequirements,
  requirementsPage,
} from './requirements/requirements.mjs';

const isCheck = process.argv.includes('--check');
const root = join(import.meta.dirname, '..');
const read = (path) => readFile(join(root, path), 'utf8');
const formatting = JSON.parse(await read('.oxfmtrc.json'));

const {
  commandReference,
  referenceFiles,
  settingsPage,
  configSchema,
  resultsMarkdown,
  metricsMarkdown,
  dryRunMarkdown,
  peersMarkdown,
  peerSuites,
} = await loadSources(`
  export { commandReference } from './src/cli/reference.ts';
  export { referenceFiles } from './src/server/reference.ts';
  export { configSchema, settingsPage } from './src/settings/settings-reference.ts';
  export { resultsMarkdown } from './bench/results-page.ts';
  export { dryRunMarkdown } from './src/cli/service/show-steps.ts';
  export { peersMarkdown } from './test/peers/peers-page.ts';
  export { peerSuites } from './test/peers/suites.ts';
  export { metricsMarkdown } from './src/telemetry/metrics/metrics-reference.ts';
`);

const files = {
  ...(await referenceFiles()),
  'docs/cli.md': await formatted('cli.md', await commandReference()),
  'docs/settings.md': await formatted('settings.md', settingsPage()),
  'docs/contributing/peers.md': await formatted('peers.md', peersMarkdown(peerSuites)),
  'docs/config.schema.json': await formatted('schema.json', JSON.stringify(configSchema())),
  'docs/contributing/requirements.md': await formatted(
    'requirements.md',
    requirementsPage(await readRequirements(), await readCoveringTests()),
  ),
  'web/src/texts/text-values.ts': await formatted('text-values.ts', await textValuesModule()),
  'ARCHITECTURE.md': await withBlocks('ARCHITECTURE.md', () => modulesMarkdown()),
  ...(await moduleReadmes()),
  'docs/observability.md': await withBlocks('docs/observability.md', () => metricsMarkdown()),
  'docs/service.md': await withBlocks('docs/service.md', (platform) => dryRunMarkdown(platform)),
  'docs/contributing/performance.md': await withBlocks(
    'docs/contributing/performance.md',
    async (name) => resultsMarkdown(JSON.parse(await read(`docs/performance/${name}.json`))),
  ),
};

for (const [path, text] of Object.entries(files)) {
  if (!isCheck) {
    await writeFile(join(root, path), text);
    console.log(`Wrote ${path}.`);
  } else if ((await read(path).catch(() => '')) !== text) {
    console.error(`${path} is out of date. Run: npm run generate`);
    process.exitCode = 1;
  }
}

/** The README of each module, with its public files and imports. */
async function moduleReadmes() {
  const names = modules.map(({ name }) => name).filter((name) => !name.endsWith('.ts'));
  const paths = names.map((name) => `src/${name}/README.md`);
  return Object.fromEntries(
    await Promise.all(paths.map(async (path) => [path, await withBlocks(path, moduleMarkdown)])),
  );
}

/** Bundles the TypeScript of an entry point and imports it. */
async function loadSources(contents) {
  // The bundle must be inside the repository, where Node finds the packages.
  const bundle = join(root, `.cache/generate-${process.pid}.mjs`);
  await mkdir(join(root, '.cache'), { recursive: true });
  try {
    await build({
      stdin: { contents, resolveDir: root, loader: 'ts' },
      outfile: bundle,
      bundle: true,
      packages: 'external',
      platform: 'node',
      target: 'node20',
      format: 'esm',
      logLevel: 'warning',
    });
    return await import(pathToFileURL(bundle).href);
  } finally {
    await rm(bundle, { force: true });
  }
}

/** Replaces the content of a page's `<!-- generated: NAME -->` blocks. */
async function withBlocks(path, render) {
  let page = await read(path);
  // The block `path` is excluded; `record-path.mjs` writes it.
  const block = /(<!-- generated: (?!path )(\S+) -->\n).*?(<!-- end -->)/gs;
  for (const [whole, start, name, end] of page.matchAll(block)) {
    page = page.replace(whole, `${start}\n${await render(name)}\n\n${end}`);
  }
  return formatted(path, page);
}

async function formatted(path, text) {
  const { code, errors } = await format(path, text, formatting);
  if (errors.length > 0) throw new Error(`${path}: ${errors[0].message}`);
  return code;
}
