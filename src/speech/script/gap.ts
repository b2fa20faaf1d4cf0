/**
 * Marks the place of removed text until `closeGaps` decides whether it becomes a space. The text itself can't contain
 * it, since control characters were removed before.
 */
export const gap = '\0';

const closing = new Set(',.;:!?%)…，。、；：！？）');
const opening = new Set('(（');
const quotes = new Set('"\'');
const letterOrDigit = /[\p{L}\p{N}]/u;
/** First character of the scripts without spaces between words. */
const firstUnspaced = 0x2e80;

/**
 * Closes the gaps. A gap vanishes at the ends, before closing punctuation and after opening punctuation. Otherwise it
 * becomes a space if there was one or if words would run together. White space must already be single spaces.
 */
export function closeGaps(text: string): string {
  if (!text.includes(gap)) return text.trim();
  return text
    .replace(/ ?\0[ \0]*/g, (found: string, offset: number) => {
      const end = offset + found.length;
      const before = text[offset - 1];
      const after = text[end];
      if (before === undefined || after === undefined) return '';
      if (closing.has(after) || (quotes.has(after) && endsWord(text[end + 1]))) return '';
      if (opening.has(before) || (quotes.has(before) && startsWord(text[offset - 2]))) return '';
      return found.includes(' ') || (isSpacedWord(before) && isSpacedWord(after)) ? ' ' : '';
    })
    .trim();
}

/** True if a quotation mark before this character closes a quotation. */
function endsWord(next: string | undefined): boolean {
  return next === undefined || next === ' ' || closing.has(next);
}

/** True if a quotation mark after this character opens a quotation. */
function startsWord(previous: string | undefined): boolean {
  return previous === undefined || previous === ' ' || opening.has(previous);
}

function isSpacedWord(character: string): boolean {
  return character.charCodeAt(0) < firstUnspaced && letterOrDigit.test(character);
}
