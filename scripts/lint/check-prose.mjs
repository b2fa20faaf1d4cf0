// Checks the English of comments, strings and pages with textlint.
import { TextlintKernel } from '@textlint/kernel';
import markdown from '@textlint/textlint-plugin-markdown';
import plainText from '@textlint/textlint-plugin-text';
import { parseSync, Visitor } from 'oxc-parser';
import {
  commentRules,
  maxSentenceLength,
  phraseRules,
  sentenceRules,
  styleRules,
} from './prose-style.mjs';

const kernel = new TextlintKernel();
const plugins = [
  { pluginId: 'markdown', plugin: markdown.default ?? markdown },
  { pluginId: 'text', plugin: plainText.default ?? plainText },
];

/** Problems `{file, line, message}` with the comments and strings of source files, and the text of pages. */
export async function checkProse(files) {
  const isPage = ({ file }) => file.endsWith('.md');
  const pages = files.filter(isPage);
  const sources = files.filter((file) => !isPage(file)).map(readSource);
  const comments = sources.flatMap((source) => source.comments);
  const strings = sources.flatMap((source) => source.strings);
  const problems = await Promise.all([
    ...pages.map((page) => checkPage(page)),
    checkPieces(comments, [...phraseRules, ...styleRules, ...commentRules]),
    // Only long comments: splitting text into sentences is slow.
    checkPieces(
      comments.filter(({ prose }) => prose.length > maxSentenceLength),
      sentenceRules,
    ),
    checkPieces(strings, phraseRules),
    checkPieces(
      strings.filter(({ file }) => !/^test\/|\.test\.|\.cases\./.test(file)),
      styleRules,
    ),
  ]);
  return problems.flat();
}

async function checkPage({ file, text }) {
  const problems = await lint(text, '.md', [...phraseRules, ...styleRules, ...sentenceRules]);
  return problems.map((problem) => ({ file, ...problem }));
}

/** Checks pieces of source files as a single text in which each piece takes two lines: the piece and an empty line. */
async function checkPieces(pieces, rules) {
  if (pieces.length === 0) return [];
  const problems = await lint(
    pieces.map(({ prose }) => prose.replace(/`[^`]*`/g, '`code`')).join('\n\n'),
    '.txt',
    rules,
  );
  return problems.map(({ line, message }) => {
    const { file, text, start } = pieces[(line - 1) / 2];
    return { file, line: text.slice(0, start).split('\n').length, message };
  });
}

async function lint(text, ext, rules) {
  const { messages } = await kernel.lintText(text, {
    filePath: `prose${ext}`,
    ext,
    plugins,
    rules,
  });
  return messages.map(({ line, message, range }) => {
    const near = text.slice(Math.max(0, range[0] - 20), range[0] + 40);
    const [problem] = message.replace(/^Line \d+ /, '').split('\n');
    return { line, message: `"${near.replace(/\s+/g, ' ').trim()}": ${problem}` };
  });
}

/** The comments and strings `{prose, start}` of a source file. Single words are left out, since they are names. */
export function readSource({ file, text }) {
  const { program, comments, errors } = parseSync(file, text);
  if (errors.length > 0) throw new Error(`${file}: ${errors[0].message}`);
  const strings = [];
  const add = (prose, start) => {
    if (typeof prose === 'string') strings.push({ prose, start });
  };
  new Visitor({
    Literal: ({ value, start }) => add(value, start),
    TemplateElement: ({ value, start }) => add(value.cooked ?? value.raw, start),
    JSXText: ({ value, start }) => add(value, start),
  }).visit(program);
  return {
    comments: toProse(file, text, joinLines(comments, text)),
    strings: toProse(file, text, strings),
  };
}

/** Joins consecutive line comments. */
function joinLines(comments, text) {
  const joined = [];
  let end = 0;
  for (const { type, value, start, end: ownEnd } of comments) {
    const continues = type === 'Line' && /^\n[ \t]*$/.test(text.slice(end, start));
    const last = joined.at(-1);
    if (continues && last?.type === 'Line') last.prose += ` ${value}`;
    else joined.push({ type, prose: value.replace(/^\*|\n\s*\*/g, ' '), start });
    end = ownEnd;
  }
  return joined;
}

/** Puts each text on one line. */
function toProse(file, text, pieces) {
  return pieces
    .map(({ prose, start }) => ({
      prose: prose.replace(/\s+/g, ' ').trim(),
      file,
      text,
      start,
    }))
    .filter(({ prose }) => prose.includes(' '));
}
