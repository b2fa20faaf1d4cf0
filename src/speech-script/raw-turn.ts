/** A turn as it was written. */
export interface RawTurn {
  /** Not yet known to be in range. */
  readonly speaker: number;
  /** Its text, line by line. */
  readonly lines: readonly string[];
  /** Where it stands in the text, such as `line 3`. */
  readonly place: string;
}
