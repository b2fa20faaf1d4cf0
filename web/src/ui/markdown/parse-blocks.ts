import { Lexer, Marked, type Token } from 'marked';
import { mathExtensions } from './math-syntax.ts';

const { defaults } = new Marked({ gfm: true, extensions: mathExtensions });

/** The longest block that is parsed; a longer one is shown as it was written. */
const maxBlockLength = 100_000;

/** The time to find pairs of delimiters grows faster than their number; a text with more has none. */
const maxDelimiters = 600;

export interface Block {
  readonly raw: string;
  readonly token: Token;
}

export interface ParsedText {
  readonly text: string;
  readonly blocks: readonly Block[];
}

/**
 * Parses Markdown into blocks. If the text continues the previous one, only its last block is parsed again, and the
 * others are the same objects.
 */
export function parseBlocks(text: string, previous?: ParsedText): ParsedText {
  const kept = previous !== undefined && text.startsWith(previous.text) ? previous.blocks : [];
  const stable = kept.slice(0, -1);
  const start = stable.reduce((length, { raw }) => length + raw.length, 0);
  return { text, blocks: [...stable, ...lex(text.slice(start))] };
}

function lex(text: string): readonly Block[] {
  // The lexer replaces line ends; blocks must have the length that they have in the text.
  if (text.length > maxBlockLength || text.includes('\r')) return lexSafely(text);
  return toBlocks(text);
}

function lexSafely(text: string): readonly Block[] {
  if (!text.includes('\r')) return [plain(text)];
  const tokens = toBlocks(text.replaceAll(/\r\n?/g, '\n')).map(({ token }) => token);
  return [{ raw: text, token: { type: 'blocks', raw: text, tokens } as Token }];
}

function toBlocks(text: string): readonly Block[] {
  try {
    const tokens = tokensOf(text);
    const blocks: { raw: string; token: Token }[] = [];
    for (const token of tokens) {
      const last = blocks.at(-1);
      if (token.type === 'space' && last !== undefined) last.raw += token.raw;
      else blocks.push({ raw: token.raw, token });
    }
    return blocks;
  } catch {
    return [plain(text)];
  }
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
  return { raw: text, token: { type: 'text', raw: text, text } };
}
