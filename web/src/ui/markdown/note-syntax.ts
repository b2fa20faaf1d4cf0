import type { Token, TokenizerAndRendererExtension } from 'marked';

/** Longer `<details>` are shown as plain text. */
const maxDetails = 20_000;
const maxDepth = 20;

export interface FootnoteReferenceToken {
  readonly type: 'footnoteReference';
  readonly raw: string;
  readonly label: string;
}
export interface FootnoteToken {
  readonly type: 'footnote';
  readonly raw: string;
  readonly label: string;
  readonly tokens: Token[];
}
export interface DetailsToken {
  readonly type: 'details';
  readonly raw: string;
  readonly isOpen: boolean;
  readonly summary: Token[];
  readonly tokens: Token[];
}

const reference = /^\[\^([^\]\s^]{1,64})\](?!:)/;
const footnote =
  /^\[\^([^\]\s^]{1,64})\]:[ \t]+([^\n]+(?:\n(?![ \t]*(?:\n|$)|\[\^)[^\n]+)*)(?:\n+|$)/;
const detailsHead =
  /^ {0,3}<details(?<open> open)?>[ \t]*\n?(?:[ \t]*<summary>(?<summary>[^\n]{0,500}?)<\/summary>[ \t]*\n*)?/i;

/** Footnotes and `<details>` as tokens. */
export const noteExtensions: TokenizerAndRendererExtension[] = [
  {
    name: 'footnoteReference',
    level: 'inline',
    start: (source) => indexOf(source, '[^'),
    tokenizer: (source) => {
      const [raw, label] = reference.exec(source) ?? [];
      return raw === undefined ? undefined : { type: 'footnoteReference', raw, label };
    },
  },
  {
    name: 'footnote',
    level: 'block',
    tokenizer(source) {
      const [raw, label, text = ''] = footnote.exec(source.slice(0, maxDetails)) ?? [];
      if (raw === undefined) return undefined;
      return { type: 'footnote', raw, label, tokens: this.lexer.inline(text, []) };
    },
  },
  {
    name: 'details',
    level: 'block',
    tokenizer(source) {
      const part = source.slice(0, maxDetails);
      const head = detailsHead.exec(part);
      if (head === null) return undefined;
      // If it is not closed, it is the last block of a growing answer and may continue.
      const end = endOfDetails(part) ?? source.length;
      if (end > part.length) return undefined;
      const raw = part.slice(0, end);
      const body = raw.slice(head[0].length).replace(/<\/details>\s*$/i, '');
      return {
        type: 'details',
        raw,
        isOpen: head.groups?.['open'] !== undefined,
        summary: this.lexer.inline(head.groups?.['summary'] ?? '', []),
        tokens: this.lexer.blockTokens(body, []),
      };
    },
  },
];

/**
 * The index after the tag that closes the first `<details>` and after the line ends that follow; infinite if details
 * are nested too deeply.
 */
function endOfDetails(text: string): number | undefined {
  const tag = /<(\/?)details[ >][^\S\n]*\n*/gi;
  let depth = 0;
  for (let match = tag.exec(text); match !== null; match = tag.exec(text)) {
    depth += match[1] === '/' ? -1 : 1;
    if (depth === 0) return tag.lastIndex;
    if (depth > maxDepth) return Infinity;
  }
  return undefined;
}

function indexOf(source: string, part: string): number | undefined {
  const index = source.indexOf(part);
  return index === -1 ? undefined : index;
}
