// Builds the documentation site into dist/docs, which the server serves at /docs. SITE_BASE is its path on another host.
import { spawnSync } from 'node:child_process';
import { copyFile, cp, mkdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { assemblePages, listSources, write } from '../site/assemble.mjs';
import { llmsText } from '../site/describe.mjs';
import { sections, sitePath } from '../site/pages.mjs';
import { apiIndex, apiPages } from '../site/reference/api-pages.mjs';

const root = join(import.meta.dirname, '..');
const folder = join(root, '.cache/site');
const source = join(folder, 'source');
const built = join(folder, 'site');
const base = process.env.SITE_BASE ?? '/docs/';

await rm(folder, { recursive: true, force: true });
const sources = await listSources(root);
await assemblePages(root, source, sources);
const document = JSON.parse(await readFile(join(root, 'docs/openapi.json'), 'utf8'));
const apis = apiPages(document);
for (const { path, text } of apis) await write(join(source, path), text);
await write(join(source, 'reference/index.md'), apiIndex(document, apis));
await copyFile(join(root, 'site/appearance.js'), join(source, 'public/appearance.js'));

const ofProject = { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] };
// `npm pack --dry-run` would also make this one do nothing.
run('npm install --prefix site --ignore-scripts --no-audit --no-fund --dry-run=false');
run('node site/node_modules/vitepress/bin/vitepress.js build site');

const listed = sections.map(({ title, pages }) => ({
  title,
  pages: pages.map(([name, path]) => [name, sitePath(path)]),
}));
listed.push({ title: 'API', pages: apis.map(({ title, path }) => [title, path]) });
await write(join(built, 'llms.txt'), await llmsText(listed, source, base));
const paths = [...sources.map(sitePath), ...apis.map(({ path }) => path)];
for (const path of [...paths, 'reference/index.md']) {
  await cp(join(source, path), join(built, path));
}

await mkdir(join(root, 'dist'), { recursive: true });
await rm(join(root, 'dist/docs'), { recursive: true, force: true });
await rename(built, join(root, 'dist/docs'));

function run(command) {
  const { status } = spawnSync(command, { ...ofProject, shell: true });
  if (status !== 0) throw new Error(`Failed: ${command}`);
}
