import type { CommandContext } from './context.ts';

/** One option of a command; its value is undefined where it was not given. */
export interface OptionDeclaration<Value = unknown> {
  /** As commander writes them: `-p, --prompt <text>`. */
  readonly flags: string;
  readonly summary: string;
  /**
   * Reads the text after the flag; absent for flags without one. `previous` is what an earlier
   * appearance of the flag gave.
   *
   * @throws UsageError, whose message says what is allowed.
   */
  parse?(text: string, previous: Value | undefined): Value;
  /** Left out of the help. */
  readonly isHidden?: boolean;
}

interface PositionalDeclaration {
  readonly summary: string;
  readonly isRequired: boolean;
  /** Takes all that follows. */
  readonly isRest?: boolean;
}

type Options = Readonly<Record<string, OptionDeclaration>>;
type Positionals = Readonly<Record<string, PositionalDeclaration>>;

type OptionValues<Declared extends Options> = {
  readonly [Name in keyof Declared]:
    | (Declared[Name] extends OptionDeclaration<infer Value> ? Value : never)
    | undefined;
};
type PositionalValues<Declared extends Positionals> = {
  readonly [Name in keyof Declared]: Declared[Name]['isRest'] extends true
    ? readonly string[]
    : Declared[Name]['isRequired'] extends true
      ? string
      : string | undefined;
};

interface Invocation<DeclaredOptions extends Options, DeclaredPositionals extends Positionals> {
  readonly context: CommandContext;
  readonly options: OptionValues<DeclaredOptions>;
  readonly positionals: PositionalValues<DeclaredPositionals>;
}

export type ExitCode = 0 | 1 | 2 | 130;

/** What a command takes and does, apart from its name and summary, which the command table has. */
export interface CommandDescription<
  DeclaredOptions extends Options = Options,
  DeclaredPositionals extends Positionals = Positionals,
> {
  readonly positionals?: DeclaredPositionals;
  readonly options?: DeclaredOptions;
  /** Shown below the help, one a line. */
  readonly examples: readonly string[];
  /** @returns the exit code; 0 where it returns nothing. */
  run(invocation: Invocation<DeclaredOptions, DeclaredPositionals>): Promise<ExitCode | void>;
}

/** Gives a command's `run` the types of the options and arguments that it declares. */
export function defineCommand<
  const DeclaredPositionals extends Positionals = Record<string, never>,
  DeclaredOptions extends Options = Record<string, never>,
>(
  description: CommandDescription<DeclaredOptions, DeclaredPositionals>,
): CommandDescription<DeclaredOptions, DeclaredPositionals> {
  return description;
}
