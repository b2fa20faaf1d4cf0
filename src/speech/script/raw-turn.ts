/** A turn before cleaning. */
export interface RawTurn {
  /** Not yet checked to be in range. */
  readonly speaker: number;
  /** Name of the speaker in the text, if it has no number there. */
  readonly name?: string;
  /** Its text, line by line. */
  readonly lines: readonly string[];
  /** Its position in the text, such as `line 3`. */
  readonly place: string;
}

const rareLineBreak = /\r\n?|[\v\f\u0085\u2028\u2029]/g;

/** Splits a text into lines, at any kind of line break (Unicode Standard Annex 14, mandatory breaks). */
export function splitLines(text: string): string[] {
  return text.replace(rareLineBreak, '\n').split('\n');
}
