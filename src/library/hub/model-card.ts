import type { ModelCard } from './hub.ts';

/** Longest card that is kept, in characters. */
export const maxCardCharacters = 200_000;

const frontMatter = /^\uFEFF?---[ \t]*\r?\n[\s\S]*?\n---[ \t]*(?:\r?\n|$)/;
/**
 * All control characters but tab and line feed, and characters that change the direction of text.
 */
const controlCharacters = /[\p{Cc}\p{Bidi_Control}]/gu;

/** A README of the hub as Markdown of bounded length, without front matter and control characters. */
export function toModelCard(readme: string): ModelCard {
  // A bound on the text before the pattern also bounds the time that it takes.
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
