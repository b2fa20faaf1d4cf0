const tooManyMarks = /([\p{M}\u200C\u200D]{32})[\p{M}\u200C\u200D]+/gu;

/**
 * A text without the marks, such as accents, that follow 32 others on one character: the time that browsers take for the
 * layout of a character grows with the square of its marks.
 */
export function limitMarks(text: string): string {
  return text.replaceAll(tooManyMarks, '$1');
}
