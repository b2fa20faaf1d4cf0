/** Shorter words are found by the terms of the index that begin with them. */
export const trigramLength = 3;

/** A text as the index has it: its last characters begin a trigram, too. */
export function toSearchText(text: string): string {
  return `${text}\n\n`;
}
