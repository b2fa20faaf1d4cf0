/** A parser of untrusted bytes. */
export interface FuzzTarget {
  /** Valid inputs, which the fuzzer mutates. */
  seeds(): Promise<readonly Buffer[]>;
  /** Keywords of the format, which random changes would not find. */
  readonly words: readonly string[];
  /** Parses an input. @throws Errors that `isDeclared` accepts; any other error is a finding. */
  run(input: Buffer): unknown;
  isDeclared(error: unknown): boolean;
}
