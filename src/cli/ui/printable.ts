// oxlint-disable-next-line no-control-regex -- control characters are what it is about
const controlCharacters = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

/**
 * Text of others without the control characters that could move the cursor, write the clipboard or
 * rename the window; line breaks and tabs stay.
 */
export function printable(text: string): string {
  return text.replace(controlCharacters, '');
}
