import { copyFile, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join, posix } from 'node:path';
import { listFiles } from '../scripts/lint/import-graph.mjs';
import { isDecision, sections, sitePath } from './pages.mjs';

/** Folders of which the site has the files that its pages link to. A server sends its own openapi.json. */
const published = /^(?:docs\/(?!openapi\.json)|deploy\/|examples\/)/;

/** The sources of all pages, decisions among them. */
export async function listSources(root) {
  const decisions = (await listFiles(root, 'docs/adr', /\.md$/)).filter(isDecision);
  return [...sections.flatMap(({ pages }) => pages.map(([, source]) => source)), ...decisions];
}

/**
 * Writes the pages to the paths that they have on the site, with links between them, and the pictures and files that they link
 * to into `public/`. Links to other files of the repository become text.
 *
 * @param root Of the repository.
 */
export async function assemblePages(root, folder, sources) {
  const paths = new Map(sources.map((source) => [source, sitePath(source)]));
  for (const [source, path] of paths) {
    const { text, files } = await withSiteLinks(root, source, paths);
    await write(join(folder, path), text);
    for (const [file, target] of files) {
      const copy = join(folder, 'public', target);
      await mkdir(dirname(copy), { recursive: true });
      await copyFile(join(root, file), copy);
    }
  }
}

export async function write(file, text) {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
}

/** The text of a page with the links of the site, and the files that it links to: their path there by that in the repository. */
async function withSiteLinks(root, source, paths) {
  const text = await readFile(join(root, source), 'utf8');
  const files = new Map();
  for (const { target } of linksOf(text)) {
    const file = fileOf(source, target);
    const info = published.test(file)
      ? await stat(join(root, file)).catch(() => undefined)
      : undefined;
    if (!paths.has(file) && info?.isFile() === true) files.set(file, publicPath(file));
  }
  const folder = posix.dirname(paths.get(source));
  const replaced = replaceLinks(text, (link) => {
    if (link.target.startsWith('#')) return link.whole;
    const file = fileOf(source, link.target);
    const to = paths.get(file) ?? paths.get(`${file}/README.md`) ?? files.get(file);
    if (to === undefined) return link.text;
    const [, fragment] = link.target.split('#');
    const anchor = fragment === undefined ? '' : `#${fragment}`;
    return `${link.isImage ? '!' : ''}[${link.text}](${posix.relative(folder, to)}${anchor})`;
  });
  return { text: replaced, files };
}

/** Browsers show the files of programs and configurations as text. */
function publicPath(file) {
  if (file.startsWith('docs/images/')) return file.replace('docs/', '');
  return file.endsWith('.json') ? `files/${file}` : `files/${file}.txt`;
}

/** The file of the repository that a relative link of a page names. */
const fileOf = (source, target) =>
  posix.join(posix.dirname(source), target.split('#')[0]).replace(/\/$/, '');

/** Blocks of code, or a link or picture that has no scheme. */
const blockOrLink =
  /^(?<fence>```+)[^\n]*\n.*?^\k<fence>|(?<image>!?)\[(?<text>(?:[^[\]]|\[[^\]]*\])*)\]\((?![a-z]+:)(?<target>[^)\s]+)\)/gms;

function replaceLinks(text, replace) {
  return text.replace(blockOrLink, (whole, ...rest) => {
    const { image, text: label, target } = rest.at(-1);
    return target === undefined
      ? whole
      : replace({ whole, isImage: image === '!', text: label, target });
  });
}

/** The relative links and pictures of a Markdown text outside of its blocks of code. */
export function linksOf(text) {
  const links = [];
  replaceLinks(text, (link) => {
    links.push(link);
    return link.whole;
  });
  return links;
}
