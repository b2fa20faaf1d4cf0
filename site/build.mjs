// Builds the documentation site into dist/docs, which the server serves at /docs. SITE_BASE is its path on another host.
import { spawnSync } from 'node:child_process';
import { copyFile, cp, mkdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { assemblePages, listSources, write } from './assemble.mjs';
import { llmsText } from './describe.mjs';
import { packFiles } from '../scripts/build/pack-files.mjs';
import { listFiles } from '../scripts/lint/import-graph.mjs';
import { sections, sitePath } from './pages.mjs';
import { apiIndex, apiPages } from './reference/api-pages.mjs';

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
const pages = [...sources.map(sitePath), ...apis.map(({ path }) => path), 'reference/index.md'];
for (const path of pages) await cp(join(source, path), join(built, path));

// Another host gets the files themselves.
const target = join(root, process.env.SITE_BASE === undefined ? 'dist/docs' : 'dist/site');
await rm(target, { recursive: true, force: true });
if (process.env.SITE_BASE === undefined) {
  const texts = await listFiles(built, '.', /\.(?:html|js|css|svg|txt|md|json)$/);
  const served = texts.filter((name) => name !== 'hashmap.json');
  await packFiles(built, served, join(target, 'pages.br'));
  await shrinkPictures(join(built, 'images'), join(target, 'images'));
} else {
  await mkdir(join(root, 'dist'), { recursive: true });
  await rename(built, target);
}

function run(command) {
  const { status } = spawnSync(command, { ...ofProject, shell: true });
  if (status !== 0) throw new Error(`Failed: ${command}`);
}

/** As wide as the pages show them on a screen with two pixels for each: packages have a limit. */
async function shrinkPictures(from, to) {
  await mkdir(to, { recursive: true });
  for (const name of await listFiles(from, '.', /\.webp$/)) {
    const width = name.endsWith('-phone.webp') ? 260 : 640;
    await sharp(join(from, name), { animated: true })
      .resize({ width, withoutEnlargement: true })
      .webp({ quality: 32, effort: 4, smartSubsample: true })
      .toFile(join(to, name));
  }
}
