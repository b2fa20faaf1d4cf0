import type { Readable } from 'node:stream';
import type { Terminal } from './ui/terminal.ts';

export interface StandardInput extends Readable {
  readonly isTTY?: boolean;
  /** Raw mode of a terminal: keys arrive one at a time and are not echoed. */
  setRawMode?(isRaw: boolean): unknown;
}

/** Everything that a command may use of its process. */
export interface CommandContext {
  /** Home folder, absolute. */
  readonly home: string;
  /** True if neither --home nor HEARTH_HOME sets the home folder. */
  readonly isDefaultHome?: boolean;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly terminal: Terminal;
  readonly stdin: StandardInput;
  /** Path of the script that Node runs; the background server runs it again. */
  readonly entryPoint: string;
  /** Folder where a system service records its address; undefined if the platform has none. */
  readonly serviceFolder?: string | undefined;
  /** Aborts with an Interruption on Ctrl-C or SIGTERM. */
  readonly signal: AbortSignal;
  /** Stores the code that V8 has compiled so far, for the next process. */
  readonly keepCompiledCode?: (() => void) | undefined;
}

/** One option of a command. Its value is undefined if the option is not used. */
export interface OptionDeclaration<Value = unknown> {
  /** In commander's syntax: `-p, --prompt <text>`. */
  readonly flags: string;
  readonly summary: string;
  /**
   * Parses the value of the option; absent for boolean flags. `previous` is the result of an earlier
   * occurrence of the option.
   *
   * @throws UsageError, whose message lists the allowed values.
   */
  parse?(text: string, previous: Value | undefined): Value;
  /** Hides the option from the help. */
  readonly isHidden?: boolean;
}

interface PositionalDeclaration {
  readonly summary: string;
  readonly isRequired: boolean;
  /** Collects all remaining arguments. */
  readonly isRest?: boolean;
}

export type Options = Readonly<Record<string, OptionDeclaration>>;
type Positionals = Readonly<Record<string, PositionalDeclaration>>;

export type OptionValues<Declared extends Options> = {
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
  /** All commands of the program. */
  readonly commands: readonly (CommandEntry | CommandGroup)[];
}

/**
 * 0 on success, 1 on failure, 2 for an invalid command line or setting, 130 if interrupted. `launch` returns the exit
 * code of its program.
 */
export type ExitCode = number;

/** Arguments, options and implementation of a command. Its name and summary are in the command table. */
export interface CommandDescription<
  DeclaredOptions extends Options = Options,
  DeclaredPositionals extends Positionals = Positionals,
> {
  readonly positionals?: DeclaredPositionals;
  readonly options?: DeclaredOptions;
  /** Shown at the end of the help, one per line. */
  readonly examples: readonly string[];
  /** @returns The exit code; undefined means 0. */
  run(invocation: Invocation<DeclaredOptions, DeclaredPositionals>): Promise<ExitCode | void>;
}

export interface CommandEntry {
  readonly name: string;
  readonly summary: string;
  /** Names from similar programs that users expect; hidden from the list of commands. */
  readonly aliases?: readonly string[];
  /** Imports the command when it is run, which keeps startup fast. */
  readonly load: () => Promise<CommandDescription>;
}

export interface CommandGroup {
  readonly name: string;
  readonly summary: string;
  readonly aliases?: readonly string[];
  readonly commands: readonly CommandEntry[];
}

/** Infers the types of the options and arguments that `run` receives from their declarations. */
export function defineCommand<
  const DeclaredPositionals extends Positionals = Record<string, never>,
  DeclaredOptions extends Options = Record<string, never>,
>(
  description: CommandDescription<DeclaredOptions, DeclaredPositionals>,
): CommandDescription<DeclaredOptions, DeclaredPositionals> {
  return description;
}
