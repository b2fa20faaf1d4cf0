import {
  type CommandDescription,
  type CommandEntry,
  type CommandGroup,
  defineCommand,
} from '../command.ts';
import { UsageError } from '../failure.ts';
import { openLibrary } from '../../server/offline/models.ts';
import { required } from '../option.ts';

/** A command with the words that can follow it. */
export interface CommandWords {
  /** Such as `server start`; empty for the program itself. */
  readonly path: string;
  /** Names of the subcommands, with their summaries. */
  readonly commands: readonly (readonly [string, string])[];
  /** Long options, such as `--json`, with their summaries. */
  readonly options: readonly (readonly [string, string])[];
  /** True if an argument is the name of a model. */
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
  // An instance usually has the key of its model as id, so keys are suggested for instances, too.
  return 'model' in positionals || 'model' in options || 'instance' in positionals;
}

export const shells = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof shells)[number];

/** Prints the keys of the models; not listed in the help. */
const modelsCommand = 'hearth completion models 2>/dev/null';

/** A script that completes command lines of `hearth` in a shell. */
export function completionScript(shell: Shell, commands: readonly CommandWords[]): string {
  return { bash, zsh, fish }[shell](commands);
}

function joinWords({ commands, options }: CommandWords): string {
  return [...commands, ...options].map(([name]) => name).join(' ');
}

/** Shell code that finds the longest command at the start of the typed words. */
function findCommand(commands: readonly CommandWords[]): string {
  const paths = commands.flatMap(({ path }) => (path === '' ? [] : [path]));
  return `    case "$typed $word" in
${paths.map((path) => `      ' ${path}') typed="$typed $word" ;;`).join('\n')}
    esac`;
}

function bash(commands: readonly CommandWords[]): string {
  const cases = commands.map(
    (command) =>
      `    '${command.path === '' ? '' : ` ${command.path}`}') words='${joinWords(command)}'; models=${command.takesModel ? 1 : 0} ;;`,
  );
  return `# Completion of hearth for bash. Add to ~/.bashrc: source <(hearth completion bash)
_hearth() {
  local current="\${COMP_WORDS[COMP_CWORD]}" typed='' words='' models=0 word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
${findCommand(commands)}
  done
  case "$typed" in
${cases.join('\n')}
  esac
  if [[ $models == 1 && $current != -* ]]; then words="$(${modelsCommand})"; fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _hearth hearth
`;
}

function zsh(commands: readonly CommandWords[]): string {
  const cases = commands.map((command) => {
    const path = command.path === '' ? '' : ` ${command.path}`;
    const described = [...command.commands, ...command.options]
      .map(([name, summary]) => quote(`${name}:${summary}`))
      .join(' ');
    return `    '${path}') choices=(${described}); models=${command.takesModel ? 1 : 0} ;;`;
  });
  return `#compdef hearth
# Completion of hearth for zsh. Add to ~/.zshrc, after compinit: source <(hearth completion zsh)
_hearth() {
  local typed='' word models=0 current="\${words[CURRENT]}"
  local -a choices keys
  for word in "\${(@)words[2,CURRENT-1]}"; do
${findCommand(commands)}
  done
  case "$typed" in
${cases.join('\n')}
  esac
  if [[ $models == 1 && $current != -* ]]; then
    keys=(\${(f)"$(${modelsCommand})"})
    compadd -a keys
  else
    _describe 'hearth' choices
  fi
}
compdef _hearth hearth
`;
}

function fish(commands: readonly CommandWords[]): string {
  const lines = commands.flatMap((command) => {
    const condition = `'__hearth_at "${command.path}"'`;
    return [
      ...command.commands.map(
        ([name, summary]) =>
          `complete -c hearth -f -n ${condition} -a ${name} -d ${quote(summary)}`,
      ),
      ...command.options.map(
        ([name, summary]) =>
          `complete -c hearth -n ${condition} -l ${name.slice(2)} -d ${quote(summary)}`,
      ),
      ...(command.takesModel
        ? [`complete -c hearth -f -n ${condition} -a '(${modelsCommand})'`]
        : []),
    ];
  });
  const paths = commands.flatMap(({ path }) => (path === '' ? [] : [quote(path)])).join(' ');
  return `# Completion of hearth for fish. Save as ~/.config/fish/completions/hearth.fish
function __hearth_at --description 'Whether the command before the cursor is this one'
  set -l typed
  for word in (commandline -opc)[2..]
    set -l longer (string trim -- "$typed $word")
    if contains -- "$longer" ${paths}
      set typed $longer
    end
  end
  test "$typed" = "$argv[1]"
end
${lines.join('\n')}
`;
}

/** Quotes text for all three shells. Drops backslashes, which the shells treat differently within quotes. */
function quote(text: string): string {
  return `'${text.replaceAll(/['\\]/g, '')}'`;
}

export const completion = defineCommand({
  positionals: { shell: required(`Shell: ${shells.join(', ')}`) },
  examples: [
    'source <(hearth completion bash)',
    'hearth completion fish > ~/.config/fish/completions/hearth.fish',
  ],
  async run({ context, positionals, commands }) {
    const { output } = context.terminal;
    if (positionals.shell === 'models') {
      // The completion scripts call `hearth completion models` to list model names.
      const models = await (await openLibrary(context)).list();
      for (const { key } of models) output.line(key);
      return;
    }
    const shell = shells.find((name) => name === positionals.shell);
    if (shell === undefined) {
      throw new UsageError(
        `Unknown shell ${JSON.stringify(positionals.shell)}. Allowed: ${shells.join(', ')}.`,
      );
    }
    output.write(completionScript(shell, await listCommandWords(commands)));
  },
});
