const controlCharacters = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]+/gu;

/** Text of a file's header or name that may be shown: no control characters, of bounded length. */
export function printableText(text: string, maxCharacters: number): string {
  return text
    .slice(0, 4 * maxCharacters)
    .replace(controlCharacters, ' ')
    .trim()
    .slice(0, maxCharacters);
}

/** Whether there is nothing in the text that `printableText` takes out. */
export function isPrintable(text: string): boolean {
  return text.search(controlCharacters) === -1;
}
