import { join, resolve } from 'node:path';
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { version } from '../kernel/version.ts';
import type {
  CommandDescription,
  CommandEntry,
  CommandGroup,
  ExitCode,
  OptionDeclaration,
  CommandContext,
} from './command.ts';
import { describeFailure, exitCodeOf, UsageError } from './failure.ts';
import { printable } from '../kernel/printable.ts';
import { readUserHome } from '../platform/files/user-home.ts';

/** Runs a command line and prints its error, if any. @returns The exit code. */
export async function runProgram(
  commandLine: readonly string[],
  commands: readonly (CommandEntry | CommandGroup)[],
  processContext: Omit<CommandContext, 'home' | 'isDefaultHome'>,
): Promise<ExitCode> {
  const { terminal, environment } = processContext;
  let exitCode: ExitCode = 0;
  let lastCommand: Command | undefined;
  let parserMessage = '';

  const program = new Command('hearth')
    .description('Run language models on your own machine.')
    .version(version, '-v, --version', 'Show the version number')
    .option('--home <dir>', 'Home folder (default: HEARTH_HOME, or ~/.hearth)')
    .helpOption('-h, --help', 'Show help')
    .helpCommand(false)
    .exitOverride()
    .configureHelp({
      showGlobalOptions: true,
      minWidthToWrap: 20,
      subcommandTerm: (command) => command.name(),
    })
    .configureOutput({
      writeOut: (text) => terminal.output.write(text),
      writeErr: (text) => terminal.messages.write(text),
      outputError: (text) => {
        parserMessage = text;
      },
      getOutHelpWidth: () => helpWidth(terminal.output.columns),
      getErrHelpWidth: () => helpWidth(terminal.messages.columns),
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    });

  const run = async (description: CommandDescription, command: Command): Promise<void> => {
    const home = program.opts<{ home?: string }>().home ?? environment['HEARTH_HOME'];
    const context = {
      ...processContext,
      home: resolve(home || defaultHome()),
      isDefaultHome: !home,
    };
    exitCode =
      (await description.run({
        context,
        commands,
        ...readCommandLine(description, command),
      })) ?? 0;
  };
  addEntries(program, commands, run, (command) => {
    lastCommand = command;
  });

  try {
    await program.parseAsync(withKnownFlags(commandLine), { from: 'user' });
    return exitCode;
  } catch (error) {
    const { messages } = terminal;
    if (error instanceof CommanderError) {
      if (parserMessage !== '') {
        messages.write(addHint(parserMessage, commandPath(lastCommand ?? program)));
      }
      return error.exitCode === 0 ? 0 : 2;
    }
    const message = describeFailure(error);
    if (message !== undefined)
      messages.line(`${messages.style.red('error:')} ${printable(message)}`);
    return exitCodeOf(error);
  }
}

/** @throws UsageError if this user has no home folder. */
function defaultHome(): string {
  const userHome = readUserHome();
  if (userHome !== undefined) return join(userHome, '.hearth');
  throw new UsageError(
    'This user has no home folder. Name a folder for Hearth with --home or HEARTH_HOME.',
  );
}

/** Such as `hearth server start`. */
function commandPath(command: Command): string {
  return command.parent === null
    ? command.name()
    : `${commandPath(command.parent)} ${command.name()}`;
}

/** Commander wraps at 80 columns if the stream is not a terminal. */
function helpWidth(columns: number): number {
  return Number.isFinite(columns) ? columns : 80;
}

type Run = (description: CommandDescription, command: Command) => Promise<void>;

/**
 * Registers the commands. A command's module is imported, and its options or subcommands are added, just before it is
 * parsed.
 */
function addEntries(
  parent: Command,
  entries: readonly (CommandEntry | CommandGroup)[],
  run: Run,
  onCommand: (command: Command) => void,
): void {
  const added = new Map<Command, CommandEntry | CommandGroup>();
  for (const entry of entries) {
    const command = parent
      .command(entry.name)
      .description(entry.summary)
      .aliases(entry.aliases ?? []);
    added.set(command, entry);
  }
  parent.hook('preSubcommand', async (_, command) => {
    onCommand(command);
    const entry = added.get(command);
    if (entry === undefined) return;
    if ('load' in entry) configure(command, await entry.load(), run);
    else addEntries(command.helpCommand(false), entry.commands, run, onCommand);
  });
}

function configure(command: Command, description: CommandDescription, run: Run): void {
  for (const [name, declared] of Object.entries(description.positionals ?? {})) {
    const { summary, isRequired, isRest } = declared;
    const shown = isRest === true ? `${name}...` : name;
    command.argument(isRequired ? `<${shown}>` : `[${shown}]`, summary);
  }
  for (const declared of Object.values(description.options ?? {})) {
    command.addOption(toCommanderOption(declared));
  }
  const examples = description.examples.map((example) => `  $ ${example}\n`).join('');
  command.addHelpText('after', `\nExamples:\n${examples}`);
  command.action(() => run(description, command));
}

function toCommanderOption(declared: OptionDeclaration): Option {
  const option = new Option(declared.flags, declared.summary);
  if (declared.isHidden === true) option.hideHelp();
  if (declared.parse === undefined) return option;
  return option.argParser((text, previous) => {
    try {
      return declared.parse?.(text, previous);
    } catch (error) {
      throw error instanceof UsageError ? new InvalidArgumentError(error.message) : error;
    }
  });
}

function readCommandLine(description: CommandDescription, command: Command) {
  const options = Object.entries(description.options ?? {}).map(([name, { flags }]) => [
    name,
    command.getOptionValue(new Option(flags).attributeName()),
  ]);
  const positionals = Object.entries(description.positionals ?? {}).map(
    ([name, { isRest }], index) => [
      name,
      isRest === true ? command.args.slice(index) : command.args[index],
    ],
  );
  return { options: Object.fromEntries(options), positionals: Object.fromEntries(positionals) };
}

/** Rewrites `help server start` to `server start --help`, and `-V`, which other programs use, to `-v`. */
function withKnownFlags(commandLine: readonly string[]): string[] {
  if (commandLine[0] === '-V') return ['-v', ...commandLine.slice(1)];
  return commandLine[0] === 'help' ? [...commandLine.slice(1), '--help'] : [...commandLine];
}

/** Hints for commands that users know from similar programs. */
const hints: Readonly<Record<string, string>> = {
  start:
    'To start the server, run `hearth serve`, or `hearth server start` to start it in the background.',
  cp: 'To give a model another name, run `hearth alias set NAME MODEL`.',
  create:
    'To add a model from a file, run `hearth import FILE`; `hearth load MODEL --save` keeps its settings. A system prompt is part of a request: `hearth chat --system TEXT`.',
  push: 'Hearth does not publish models. Upload the file to a hub with its own tool, such as `hf upload`.',
  find: 'To search for models, run `hearth search WORDS`.',
  install:
    'To download a model, run `hearth get MODEL`. To install a runtime, run `hearth runtime install`.',
  models: 'To list models, run `hearth ls`.',
  info: 'To show the details of a model, run `hearth show MODEL`.',
  login: 'To create an API token, run `hearth token create --name NAME`.',
  plugin: 'To manage plugins, run `hearth mcp`.',
};

/**
 * Adds the next step to an error message of the argument parser.
 *
 * @param command Such as `hearth server start`.
 */
export function addHint(message: string, command: string): string {
  const name = /^error: unknown command '([\w-]+)'/.exec(message)?.[1];
  const hint = name === undefined ? undefined : hints[name];
  if (hint !== undefined && command === 'hearth')
    return `error: unknown command '${name}'\n${hint}\n`;
  return message.includes('(Did you mean') ? message : `${message}See \`${command} --help\`.\n`;
}
