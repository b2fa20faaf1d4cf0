import { decodeHTMLStrict } from 'entities';
import { gap } from './gap.ts';

const notLineBreaks = /[^\n\r\v\f\u0085\u2028\u2029]+/g;
const cdata = '<![CDATA[';

/**
 * Removes comments and the content of `script` and `style`, which are not speech. Line breaks in them
 * stay, so that lines keep their numbers.
 */
export function withoutHiddenMarkup(text: string): string {
  if (!text.includes('<')) return text;
  const opening = /<!--|<(script|style)(?=[\s/>])[^<>]*>/gi;
  const closings = {
    comment: /-->/g,
    script: /<\/script\s*>/gi,
    style: /<\/style\s*>/gi,
  };
  const unclosed = new Set<string>();
  let visible = '';
  let end = 0;
  for (let match = opening.exec(text); match !== null; match = opening.exec(text)) {
    const kind = (match[1]?.toLowerCase() ?? 'comment') as keyof typeof closings;
    if (unclosed.has(kind)) continue;
    const closing = closings[kind];
    closing.lastIndex = opening.lastIndex;
    if (!closing.test(text)) {
      unclosed.add(kind);
      continue;
    }
    visible += text.slice(end, match.index);
    visible += text.slice(match.index, closing.lastIndex).replace(notLineBreaks, '');
    end = closing.lastIndex;
    opening.lastIndex = end;
  }
  visible = (visible + text.slice(end)).replaceAll('<!--', '');
  return visible.includes(cdata) ? visible.replaceAll(cdata, '').replaceAll(']]>', '') : visible;
}

const entity = /&(?:#[0-9]{1,8}|#x[0-9a-f]{1,8}|[a-z][a-z0-9]{1,31});/gi;

/** Decodes character references that end in a semicolon, such as `&amp;` and `&#8217;`. */
export function decodeEntities(text: string): string {
  return text.includes('&') ? text.replace(entity, (found) => decodeHTMLStrict(found)) : text;
}

/** The rest of a tag up to `>`. Skips `>` in quoted attributes, and never continues beyond another `<`. */
const attributes = String.raw`(?:[^<>"'=]*(?:=(?:\s*(?:"[^"<]*"|'[^'<]*'))?[^<>"'=]*)*|[^<>]*)>`;
const inlineNames =
  'a|abbr|b|bdi|bdo|big|cite|code|data|del|dfn|em|font|i|ins|kbd|mark|q|s|samp|small|span|strong|sub|sup|time|tt|u|var|wbr';
const inlineTag = new RegExp(String.raw`<\/?(?:${inlineNames})(?=[\s/>])${attributes}`, 'gi');
/** Tags of elements, declarations, processing instructions, and the empty tags of fragments. */
const tag = new RegExp(String.raw`<\/?[a-z]${attributes}|<[!?][^<>]*>|<\/?>`, 'gi');

/** Removes tags but keeps the text between them. Inline tags, such as `<b>`, leave no space. */
export function withoutTags(text: string): string {
  if (!text.includes('<')) return text;
  return text.replace(inlineTag, '').replace(tag, gap);
}

const address = String.raw`\((?:https?:\/\/|ftp:\/\/|www\.|mailto:|[/#])[^()\s]*(?:\([^()\s]*\)[^()\s]*)*\)`;
const markdownImage = new RegExp(String.raw`!\[[^[\]]*\]${address}`, 'gi');
const markdownLink = new RegExp(String.raw`\[([^[\]]*)\]${address}`, 'gi');

/** Replaces Markdown links with their text, and removes images. */
export function withoutMarkdownLinks(text: string): string {
  if (!text.includes('](')) return text;
  return text.replace(markdownImage, gap).replace(markdownLink, '$1');
}
