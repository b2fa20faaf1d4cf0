import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The first sentence of a page in plain text, or an empty text if it begins with something else. */
export function describe(markdown) {
  const [, paragraph] = /^# .*\n+(?![#|`<!>-])((?:.+\n?)+)/.exec(markdown) ?? [];
  if (paragraph === undefined) return '';
  const text = paragraph
    .replaceAll(/!?\[((?:[^[\]]|\[[^\]]*\])*)\]\([^)]*\)/g, '$1')
    .replaceAll(/[`*_]/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
  return /^.+?[.:](?= |$)/.exec(text)?.[0] ?? text;
}

/**
 * `llms.txt` (https://llmstxt.org): every page as Markdown, by section, with its first sentence.
 *
 * @param sections `[{ title, pages: [[title, path]] }]`, with paths below the root of the site.
 * @param folder With the pages.
 */
export async function llmsText(sections, folder, base) {
  const lists = sections.map(async ({ title, pages }) => {
    const lines = pages.map(async ([name, path]) => {
      const description = describe(await readFile(join(folder, path), 'utf8'));
      return `- [${name}](${base}${path})${description === '' ? '' : `: ${description}`}`;
    });
    return `## ${title}\n\n${(await Promise.all(lines)).join('\n')}\n`;
  });
  const summary = describe(await readFile(join(folder, 'index.md'), 'utf8'));
  return `# Hearth\n\n> ${summary}\n\n${(await Promise.all(lists)).join('\n')}`;
}
