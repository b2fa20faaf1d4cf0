import type { CommandDescription, CommandEntry, CommandGroup } from '../command.ts';

/** A command with the words that can follow it. */
export interface CommandWords {
  /** Such as `server start`; empty for the program itself. */
  readonly path: string;
  /** Names of the commands below, with their summaries. */
  readonly commands: readonly (readonly [string, string])[];
  /** Long options, such as `--json`, with their summaries. */
  readonly options: readonly (readonly [string, string])[];
  /** Whether an argument is the name of a model. */
  readonly takesModel: boolean;
}

const globalOptions = [
  ['--help', 'Show help'],
  ['--home', 'Home folder'],
] as const;

/** The words of all commands. */
export async function listCommandWords(
  table: readonly (CommandEntry | CommandGroup)[],
): Promise<readonly CommandWords[]> {
  const root = {
    path: '',
    commands: summaries(table),
    options: [...globalOptions, ['--version', 'Show the version number'] as const],
    takesModel: false,
  };
  const below = await Promise.all(table.map((entry) => wordsOf(entry, '')));
  return [root, ...below.flat()];
}

async function wordsOf(
  entry: CommandEntry | CommandGroup,
  parent: string,
): Promise<readonly CommandWords[]> {
  const { name, aliases = [] } = entry;
  const all = await Promise.all(
    [name, ...aliases].map(async (each): Promise<readonly CommandWords[]> => {
      const path = `${parent}${each}`;
      if ('commands' in entry) {
        const below = await Promise.all(entry.commands.map((inner) => wordsOf(inner, `${path} `)));
        const commands = summaries(entry.commands);
        return [{ path, commands, options: globalOptions, takesModel: false }, ...below.flat()];
      }
      const description = await entry.load();
      const options = [...longOptions(description), ...globalOptions];
      return [{ path, commands: [], options, takesModel: takesModel(description) }];
    }),
  );
  return all.flat();
}

function summaries(entries: readonly (CommandEntry | CommandGroup)[]) {
  return entries.map(({ name, summary }) => [name, summary] as const);
}

function longOptions({ options = {} }: CommandDescription) {
  return Object.values(options).flatMap(({ flags, summary, isHidden }) => {
    const name = /--[\w-]+/.exec(flags)?.[0];
    return name === undefined || isHidden === true ? [] : [[name, summary] as const];
  });
}

function takesModel({ positionals = {}, options = {} }: CommandDescription): boolean {
  // The id of an instance is the key of its model, unless there are several.
  return 'model' in positionals || 'model' in options || 'instance' in positionals;
}
