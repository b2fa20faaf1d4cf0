// oxlint-disable-next-line no-control-regex -- matches control characters on purpose
const controlCharacters = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

/**
 * Removes control characters from untrusted text: a terminal could move the cursor, write to the clipboard or rename
 * its window. Keeps line breaks and tabs.
 */
export function printable(text: string): string {
  return text.replace(controlCharacters, '');
}
