const tooManyMarks = /([\p{M}\u200C\u200D]{32})[\p{M}\u200C\u200D]+/gu;

/**
 * Removes marks, such as accents, that follow 32 others on one character: browsers take quadratic time to lay out a
 * character with many marks.
 */
export function limitMarks(text: string): string {
  return text.replaceAll(tooManyMarks, '$1');
}
