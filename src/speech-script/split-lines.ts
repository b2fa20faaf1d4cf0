const rareLineBreak = /\r\n?|[\v\f\u0085\u2028\u2029]/g;

/** Splits a text into lines, at any kind of line break (Unicode Standard Annex 14, mandatory breaks). */
export function splitLines(text: string): string[] {
  return text.replace(rareLineBreak, '\n').split('\n');
}
