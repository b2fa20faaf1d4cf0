import type { ModelCard } from './hub.ts';

/** Longest card that is kept, in characters. */
export const maxCardCharacters = 200_000;

const frontMatter = /^\uFEFF?---[ \t]*\r?\n[\s\S]*?\n---[ \t]*(?:\r?\n|$)/;
/** All control characters except tab and line feed, and characters that change the direction of text. */
const controlCharacters = /[\p{Cc}\p{Bidi_Control}]/gu;

/** A README of the hub as Markdown of bounded length, without front matter and control characters. */
export function toModelCard(readme: string): ModelCard {
  // Truncating the text first bounds the time of the pattern.
  const start = readme.slice(0, 2 * maxCardCharacters).toWellFormed();
  const text = start
    .replace(frontMatter, '')
    .replaceAll(controlCharacters, (character) =>
      character === '\n' || character === '\t' ? character : '',
    );
  return {
    markdown: text.slice(0, maxCardCharacters).toWellFormed(),
    isTruncated: text.length > maxCardCharacters || readme.length > 2 * maxCardCharacters,
  };
}
