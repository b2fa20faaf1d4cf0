import { readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { listPages } from './list-files.mjs';

const root = join(import.meta.dirname, '../..');

/** The anchor that renderers derive from a heading. */
const anchor = (heading) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .trim()
    .replaceAll(' ', '-');

async function brokenLinks(page) {
  const text = (await readFile(join(root, page), 'utf8')).replace(/^(```+)[^\n]*\n.*?^\1/gms, '');
  const targets = [...text.matchAll(/\]\((?![a-z]+:)([^)\s]+)\)/g)].map(([, target]) => target);
  const results = await Promise.all(
    targets.map(async (target) => {
      const [path, fragment] = target.split('#');
      const file = path === '' ? join(root, page) : join(root, dirname(page), path);
      if ((await stat(file).catch(() => undefined)) === undefined) return target;
      if (fragment === undefined) return undefined;
      const headings = [...(await readFile(file, 'utf8')).matchAll(/^#+ (.*)$/gm)];
      return headings.some(([, heading]) => anchor(heading) === fragment) ? undefined : target;
    }),
  );
  return results.filter((target) => target !== undefined).map((target) => `${page}: ${target}`);
}

it('links in Markdown lead to existing files and headings', async () => {
  const pages = await listPages();
  expect(pages).toEqual(expect.arrayContaining(['README.md', 'docs/settings.md']));
  expect((await Promise.all(pages.map(brokenLinks))).flat()).toEqual([]);
});

it('pictures have an alternative text', async () => {
  const missing = (await listPages()).map(async (page) => {
    const text = await readFile(join(root, page), 'utf8');
    return [...text.matchAll(/!\[\s*\]\(([^)]*)\)|<img(?![^>]*\balt="[^"]+")[^>]*>/g)].map(
      ([picture]) => `${page}: ${picture}`,
    );
  });
  expect((await Promise.all(missing)).flat()).toEqual([]);
});
