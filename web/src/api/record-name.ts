/** The name of a preset or prompt in the form that the server accepts; empty if nothing is left of it. */
export function toRecordName(name: string): string {
  return name
    .replaceAll(/[\s/\p{Cc}]+/gu, ' ')
    .replace(/^[ .]+/, '')
    .trim();
}
