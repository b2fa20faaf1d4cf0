const controlCharacters = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]+/gu;

/** Text of a file's header or name for display, truncated and without control characters. */
export function printableText(text: string, maxCharacters: number): string {
  return text
    .slice(0, 4 * maxCharacters)
    .replace(controlCharacters, ' ')
    .trim()
    .slice(0, maxCharacters);
}

/** True if `printableText` would leave the text unchanged. */
export function isPrintable(text: string): boolean {
  return text.search(controlCharacters) === -1;
}
