import type { CommandWords } from './names.ts';

export const shells = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof shells)[number];

/** Prints the keys of the models; hidden from the help. */
const modelsCommand = 'hearth completion models 2>/dev/null';

/** A script that completes command lines of `hearth` in a shell. */
export function completionScript(shell: Shell, commands: readonly CommandWords[]): string {
  return { bash, zsh, fish }[shell](commands);
}

function wordsOf({ commands, options }: CommandWords): string {
  return [...commands, ...options].map(([name]) => name).join(' ');
}

/** The longest command that the words before the cursor begin with. */
function findCommand(commands: readonly CommandWords[]): string {
  const paths = commands.flatMap(({ path }) => (path === '' ? [] : [path]));
  return `    case "$typed $word" in
${paths.map((path) => `      ' ${path}') typed="$typed $word" ;;`).join('\n')}
    esac`;
}

function bash(commands: readonly CommandWords[]): string {
  const cases = commands.map(
    (command) =>
      `    '${command.path === '' ? '' : ` ${command.path}`}') words='${wordsOf(command)}'; models=${command.takesModel ? 1 : 0} ;;`,
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

/** Quoted for all three shells: a backslash is not special within, so it is left out. */
function quote(text: string): string {
  return `'${text.replaceAll(/['\\]/g, '')}'`;
}
