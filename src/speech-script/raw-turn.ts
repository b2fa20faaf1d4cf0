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
