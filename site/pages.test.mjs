import { expect, it } from 'vitest';
import { listPages } from '../scripts/lint/list-files.mjs';
import { isDecision, sections, sitePath } from './pages.mjs';

/** READMEs of folders, which are read beside their files. */
const isOfFolder = (page) => /^(?:src|bench|test|web)\/|^\.github\//.test(page);

it('the site has every page of the documentation once, and no other', async () => {
  const listed = sections.flatMap(({ pages }) => pages.map(([, source]) => source));
  const existing = (await listPages()).filter((page) => !isOfFolder(page) && !isDecision(page));
  expect(existing.filter((page) => !listed.includes(page))).toEqual([]);
  expect(listed.filter((page) => !existing.includes(page))).toEqual([]);
  expect(new Set(listed.map(sitePath)).size).toBe(listed.length);
});
