import { Lexer, Marked, type Token } from 'marked';
import { limitMarks } from '../limit-marks.ts';
import { mathExtensions } from './math-syntax.ts';
import { noteExtensions } from './note-syntax.ts';

const { defaults } = new Marked({ gfm: true, extensions: [...mathExtensions, ...noteExtensions] });

/** The longest block that is parsed; a longer one is shown as it was written. */
const maxBlockLength = 100_000;

/** The time to find pairs of delimiters grows faster than their number; a text with more has none. */
const maxDelimiters = 600;

/** Elements that the page builds for one text; what follows is shown as it was written. */
const maxElements = 8000;

/** Number of elements for a token, besides its parts. The default is one. */
const elementsOfType: Readonly<Record<string, number>> = {
  text: 0,
  escape: 0,
  space: 0,
  code: 12,
  math: 12,
  blockMath: 12,
};

/** A text that is shown as it was written. */
export interface PlainToken {
  readonly type: 'plain';
  readonly raw: string;
}

export interface Block {
  readonly raw: string;
  readonly token: Token | PlainToken;
  /** Elements that show it, about. */
  readonly elements: number;
}

export interface ParsedText {
  readonly text: string;
  readonly blocks: readonly Block[];
}

/**
 * Parses Markdown into blocks, which together are the text with `\n` as its line ends and without excess marks. If the text
 * continues the previous one, only its last block is parsed again, and the others are the same objects.
 */
export function parseBlocks(source: string, previous?: ParsedText): ParsedText {
  const text = limitMarks(source.includes('\r') ? source.replaceAll(/\r\n?/g, '\n') : source);
  const kept = previous !== undefined && text.startsWith(previous.text) ? previous.blocks : [];
  const stable = kept.slice(0, -1);
  const start = stable.reduce((length, { raw }) => length + raw.length, 0);
  const elements = stable.reduce((sum, block) => sum + block.elements, 0);
  return { text, blocks: [...stable, ...lex(text.slice(start), maxElements - elements)] };
}

/** Quotes and lists in each other that begin in one line; the lexer takes long for thousands of them. */
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

/** The blocks that the page may show, and the others as one. */
function withinLimit(blocks: readonly Block[], freeElements: number): readonly Block[] {
  let free = freeElements;
  const count = blocks.findIndex(({ elements }) => (free -= elements) < 0);
  if (count === -1) return blocks;
  const rest = blocks.slice(count).map(({ raw }) => raw);
  return [...blocks.slice(0, count), plain(rest.join(''))];
}

/** A token, an item of a list or a cell of a table. */
interface Part {
  readonly type?: string;
  readonly tokens?: readonly Part[] | undefined;
  readonly items?: readonly Part[];
  /** The cells of a table's header; of a cell, whether it is in the header. */
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
