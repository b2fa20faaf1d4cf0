/** Converts the name of a preset or prompt to a form that the server accepts; may become empty. */
export function toRecordName(name: string): string {
  return name
    .replaceAll(/[\s/\p{Cc}]+/gu, ' ')
    .replace(/^[ .]+/, '')
    .trim();
}
