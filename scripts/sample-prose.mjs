// Prints random comments with the code that follows them, and random sentences of the documentation, to read them like
// a new reader: node scripts/sample-prose.mjs SEED [COMMENTS] [SENTENCES] [FOLDER...]
import { createHash } from 'node:crypto';
import { readSource } from './lint/check-prose.mjs';
import { readFiles } from './lint/list-files.mjs';

const [seed = '1', comments = '200', sentences = '100', ...folders] = process.argv.slice(2);
const files = await readFiles();

/** Draws the pieces whose hashes with the seed are the smallest, so that unchanged texts give the same sample. */
function draw(pieces, count) {
  const rank = ({ file, prose }) =>
    createHash('sha256').update(`${seed}\n${file}\n${prose}`).digest('hex');
  return pieces
    .map((piece) => ({ ...piece, rank: rank(piece) }))
    .toSorted((a, b) => (a.rank < b.rank ? -1 : 1))
    .slice(0, Number(count));
}

const sources = files.filter(
  ({ file }) =>
    !file.endsWith('.md') &&
    (folders.length === 0 || folders.some((folder) => file.startsWith(`${folder}/`))),
);
const pages = files.filter(({ file }) => /^docs\/(?!adr|contributing).*\.md$/.test(file));
const pieces = [
  ...draw(
    sources
      .flatMap((source) => readSource(source).comments)
      // Requirements of tests, and directives of tools.
      .filter(({ prose }) => !/^(covers|oxlint-|@ts-)/.test(prose)),
    comments,
  ),
  ...draw(pages.flatMap(readSentences), sentences),
];
for (const { file, text, start, prose } of pieces) {
  const before = text.slice(0, start).split('\n');
  console.log(`${file}:${before.length}\t${prose}`);
  if (!file.endsWith('.md')) console.log(`    ${firstCode(text, before.length)}`);
}

/** The first line of code at or after a line: what the comment describes. */
function firstCode(text, line) {
  const lines = text.split('\n').slice(line - 1);
  return lines.find((each) => !/^\s*(\/?\*|\/\/|$)/.test(each))?.trim() ?? '';
}

/** Sentences of at least four words, without headings, tables and code blocks. */
function readSentences({ file, text }) {
  const prose = text.replace(/^```.*?^```|^(?:#|\||<|!)[^\n]*$/gms, (match) =>
    match.replace(/[^\n]/g, ' '),
  );
  return [...prose.matchAll(/\S(?:[^.:\n]|[.:](?!\s)|\n(?!\s*[-\n\d]))*[.:]/g)]
    .map(({ 0: sentence, index }) => ({
      file,
      text,
      start: index,
      prose: sentence.replace(/\s+/g, ' '),
    }))
    .filter((piece) => piece.prose.split(' ').length >= 4);
}
