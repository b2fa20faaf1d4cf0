import type { TokenizerAndRendererExtension } from 'marked';

const blockPatterns = [/^\$\$\s*([^$]+?)\s*\$\$(?:\n|$)/, /^\\\[\s*([\s\S]+?)\s*\\\](?:\n|$)/];
const inlinePatterns = [
  /^\$\$([^$\n]+?)\$\$/,
  // Excludes prices: no white space at the ends, and no digit after it.
  /^\$((?![\s\d])[^$\n]*?[^$\s\\])\$(?!\d)/,
  /^\$(\d[^$\n]*?[=^_\\+*/<>-][^$\n]*?[^$\s\\])\$(?!\d)/,
  /^\\\(([\s\S]+?)\\\)/,
];

/** Longer formulas are shown as text. */
const maxLength = 5000;

/** `$…$`, `$$…$$`, `\(…\)` and `\[…\]` as tokens of the type `math`. */
export const mathExtensions: TokenizerAndRendererExtension[] = [
  {
    name: 'math',
    level: 'inline',
    start: (source) => startOf(source, /\$|\\\(/),
    tokenizer: (source) => tokenOf(source, inlinePatterns, false),
  },
  {
    name: 'blockMath',
    level: 'block',
    start: (source) => startOf(paragraphOf(source), /\$\$|\\\[/),
    tokenizer: (source) => tokenOf(source, blockPatterns, true),
  },
];

/**
 * Limits the search to the paragraph: the lexer asks for the next formula at each paragraph, and searching the rest of
 * the text each time would take quadratic time.
 */
function paragraphOf(source: string): string {
  const part = source.slice(0, maxLength);
  const end = part.indexOf('\n\n');
  return end === -1 ? part : part.slice(0, end);
}

function startOf(source: string, pattern: RegExp): number | undefined {
  const index = source.search(pattern);
  return index === -1 ? undefined : index;
}

function tokenOf(source: string, patterns: readonly RegExp[], isBlock: boolean) {
  const part = source.slice(0, maxLength);
  for (const pattern of patterns) {
    const match = pattern.exec(part);
    if (match?.[1] === undefined) continue;
    return { type: isBlock ? 'blockMath' : 'math', raw: match[0], text: match[1] };
  }
  return undefined;
}
