import { Lexer, Marked, type Token } from 'marked';
import { limitMarks } from '../limit-marks.ts';
import { mathExtensions } from './math-syntax.ts';
import { noteExtensions } from './note-syntax.ts';

const { defaults } = new Marked({ gfm: true, extensions: [...mathExtensions, ...noteExtensions] });

/** Longer blocks are not parsed but shown as plain text. */
const maxBlockLength = 100_000;

/** Texts with more delimiters are parsed without emphasis, since finding pairs takes more than linear time. */
const maxDelimiters = 600;

/** Maximum number of elements for one text; the rest is shown as plain text. */
const maxElements = 8000;

/** Number of elements for a token, without its parts. The default is one. */
const elementsOfType: Readonly<Record<string, number>> = {
  text: 0,
  escape: 0,
  space: 0,
  code: 12,
  math: 12,
  blockMath: 12,
};

/** A part that is shown as plain text. */
export interface PlainToken {
  readonly type: 'plain';
  readonly raw: string;
}

export interface Block {
  readonly raw: string;
  readonly token: Token | PlainToken;
  /** Approximate number of elements that show it. */
  readonly elements: number;
}

export interface ParsedText {
  readonly text: string;
  readonly blocks: readonly Block[];
}

/**
 * Parses Markdown into blocks. Joined, they are the text, except that line ends are `\n` and excess marks are removed.
 * If the text continues the previous one, only its last block is parsed again, and the other blocks are the same
 * objects.
 */
export function parseBlocks(source: string, previous?: ParsedText): ParsedText {
  const text = limitMarks(source.includes('\r') ? source.replaceAll(/\r\n?/g, '\n') : source);
  const kept = previous !== undefined && text.startsWith(previous.text) ? previous.blocks : [];
  const stable = kept.slice(0, -1);
  const start = stable.reduce((length, { raw }) => length + raw.length, 0);
  const elements = stable.reduce((sum, block) => sum + block.elements, 0);
  return { text, blocks: [...stable, ...lex(text.slice(start), maxElements - elements)] };
}

/** Matches deeply nested quotes and lists that begin in one line; the lexer takes long for thousands of levels. */
const veryDeep = /^[ \t]*(?:>[ \t]*|(?:[-*+]|\d{1,9}[.)])[ \t]+){200}/m;

function lex(text: string, freeElements: number): readonly Block[] {
  if (text.length > maxBlockLength || veryDeep.test(text)) return [plain(text)];
  try {
    return withinLimit(toBlocks(tokensOf(text)), freeElements);
  } catch {
    return [plain(text)];
  }
}

function toBlocks(tokens: readonly Token[]): readonly Block[] {
  const blocks: { raw: string; token: Token; elements: number }[] = [];
  for (const token of tokens) {
    const last = blocks.at(-1);
    if (token.type === 'space' && last !== undefined) last.raw += token.raw;
    else blocks.push({ raw: token.raw, token, elements: elementsOf(token) });
  }
  return blocks;
}

/** Keeps the blocks within the limit of elements, and joins the others as plain text. */
function withinLimit(blocks: readonly Block[], freeElements: number): readonly Block[] {
  let free = freeElements;
  const count = blocks.findIndex(({ elements }) => (free -= elements) < 0);
  if (count === -1) return blocks;
  const rest = blocks.slice(count).map(({ raw }) => raw);
  return [...blocks.slice(0, count), plain(rest.join(''))];
}

/** A token, a list item or a table cell. */
interface Part {
  readonly type?: string;
  readonly tokens?: readonly Part[] | undefined;
  readonly items?: readonly Part[];
  /** In a table, the cells of its header. In a cell, true if it is in the header. */
  readonly header?: readonly Part[] | boolean;
  readonly rows?: readonly (readonly Part[])[];
}

function elementsOf({ type = '', tokens = [], items = [], header, rows = [] }: Part): number {
  const headerCells = typeof header === 'object' ? header : [];
  const parts = [...tokens, ...items, ...headerCells, ...rows.flat()];
  return parts.reduce((sum, part) => sum + elementsOf(part), elementsOfType[type] ?? 1);
}

function tokensOf(text: string): readonly Token[] {
  const lexer = new Lexer(defaults);
  const tokens = lexer.blockTokens(text, []);
  for (const { src, tokens: inline } of lexer.inlineQueue) {
    if (hasFewDelimiters(src)) lexer.inlineTokens(src, inline);
    else inline.push({ type: 'text', raw: src, text: src });
  }
  return tokens;
}

function hasFewDelimiters(text: string): boolean {
  return text.length <= maxDelimiters || (text.match(/[*_~`[$\\]/g)?.length ?? 0) <= maxDelimiters;
}

function plain(text: string): Block {
  return { raw: text, token: { type: 'plain', raw: text }, elements: 1 };
}
