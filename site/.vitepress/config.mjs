import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'vitepress';
import { licenses } from '../../web/build/licenses.ts';
import { describe } from '../describe.mjs';
import { sections, sitePath } from '../pages.mjs';
import { apiPages } from '../reference/api-pages.mjs';
import { addMarkdownRules, highlight } from './markdown.mjs';

const root = join(import.meta.dirname, '../..');
const build = join(root, '.cache/site');
const readJson = (path) => JSON.parse(readFileSync(join(root, path), 'utf8'));
const { version } = readJson('package.json');
const document = readJson('docs/openapi.json');
const base = process.env.SITE_BASE ?? '/docs/';

const link = (path) => `/${path.replace(/(?:index)?\.md$/, '')}`;

const apis = apiPages(document);

/** The pages of each API, folded. */
const reference = document.tags.map(({ name }) => {
  const pages = apis.filter(({ api }) => api === name);
  const items = pages.map(({ title, path }) => ({ text: title, link: link(path) }));
  return items.length === 1
    ? items[0]
    : // A group without a link is a button with a button inside.
      { text: name, link: `/reference/#${name}`, collapsed: true, items };
});

const sidebar = sections.map(({ title, pages }) => ({
  text: title,
  items: [
    ...pages.map(([text, source]) => ({ text, link: link(sitePath(source)) })),
    ...(title === 'Reference'
      ? [{ text: 'API', link: '/reference/', collapsed: true, items: reference }]
      : []),
  ],
}));

/** Scripts of the page itself are in files: the server allows nothing inline. */
function withoutInlineCode(html) {
  const page = html
    .replaceAll(/<script id="check-[^>]*>.*?<\/script>/gs, '')
    // The scripts set the height, and `style.css` the position.
    .replaceAll(/ style="(?:--vp-vh:0px|position:relative);"/g, '');
  const inline = /<script(?![^>]* src=)[^>]*>|<[^>]* style="[^"]*"/.exec(page);
  if (inline !== null)
    throw new Error(`The page has inline code, which servers block: ${inline[0]}`);
  return page;
}

export default defineConfig({
  lang: 'en',
  title: 'Hearth',
  base,
  srcDir: join(build, 'source'),
  outDir: join(build, 'site'),
  cacheDir: join(build, 'cache'),
  cleanUrls: true,
  metaChunk: true,
  ignoreDeadLinks: 'localhostLinks',
  head: [['script', { src: `${base}appearance.js` }]],
  // With `disableTransition`, VitePress adds an inline style, which the server's content policy forbids.
  appearance: { disableTransition: false },
  markdown: { highlight, config: addMarkdownRules },
  transformPageData: (page) => {
    const text = readFileSync(join(build, 'source', page.relativePath), 'utf8');
    return { description: describe(text) };
  },
  transformHtml: withoutInlineCode,
  vue: { template: { transformAssetUrls: { img: [] } } },
  vite: { plugins: [licenses().page], publicDir: join(build, 'source/public') },
  themeConfig: {
    nav: [
      { text: 'API', link: '/reference/' },
      { text: version, items: [{ text: 'Changelog', link: '/changelog' }] },
    ],
    sidebar,
    outline: [2, 3],
    search: {
      provider: 'local',
      options: { miniSearch: { searchOptions: { combineWith: 'AND' } } },
    },
  },
});
