/** A turn before cleaning. */
export interface RawTurn {
  /** Number of the speaker; its range is checked later. */
  readonly speaker: number;
  /** Name of the speaker in the text, if the text has no number. */
  readonly name?: string;
  /** Lines of the turn's text. */
  readonly lines: readonly string[];
  /** Position of the turn in the text, such as `line 3`. */
  readonly place: string;
}

const rareLineBreak = /\r\n?|[\v\f\u0085\u2028\u2029]/g;

/** Splits a text into lines, at any kind of line break (Unicode Standard Annex 14, mandatory breaks). */
export function splitLines(text: string): string[] {
  return text.replace(rareLineBreak, '\n').split('\n');
}
