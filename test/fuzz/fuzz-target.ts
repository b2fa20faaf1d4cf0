/** A parser of untrusted bytes. */
export interface FuzzTarget {
  /** Valid inputs, from which others are made. */
  seeds(): Promise<readonly Buffer[]>;
  /** Texts that the parser knows, which random changes would not find. */
  readonly words: readonly string[];
  /** Parses. @throws errors that `isDeclared` knows; any other one is a finding */
  run(input: Buffer): unknown;
  isDeclared(error: unknown): boolean;
}
