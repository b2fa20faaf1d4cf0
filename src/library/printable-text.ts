const controlCharacters = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]+/gu;

/** Text from a file's header or name, without control characters and of bounded length, for display. */
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
