import { searchTextOf, type TurnTexts } from '../turns/turn-summary.ts';

/** Shorter words are found by the terms of the index that begin with them. */
export const trigramLength = 3;

/** A text as the index has it: its last characters begin a trigram, too. */
export function toSearchText(text: string): string {
  return `${text}\n\n`;
}

/** Characters that the database indexes in some milliseconds. */
export const maxIndexedAtOnce = 16 * 1024;

/** True if indexing a turn takes long. */
export function isLongToIndex(turn: TurnTexts): boolean {
  return searchTextOf(turn).length > maxIndexedAtOnce;
}

const maxWords = 16;

/** The words of a search; text of any form is allowed. */
export function wordsOf(search: string): readonly string[] {
  const words = search.toWellFormed().replaceAll('\0', ' ').split(/\s+/).filter(Boolean);
  return [...new Set(words)].slice(0, maxWords);
}
