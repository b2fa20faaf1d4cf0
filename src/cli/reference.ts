import type { CommandEntry, CommandGroup } from './command.ts';
import { commandTable } from './command-table.ts';

/** The page `docs/cli.md`, from the command table. */
export async function commandReference(): Promise<string> {
  const sections = await Promise.all(commandTable.map((entry) => section(entry, '')));
  return `# Commands

This page is generated from the command table. \`hearth COMMAND --help\` shows the same in the terminal.

\`--home DIR\` (or \`HEARTH_HOME\`) chooses the home folder of every command. Commands that send requests to a server take
\`--host URL\` (or \`HEARTH_HOST\`) and \`--token TOKEN\` (or \`HEARTH_TOKEN\`) for a server elsewhere.

Exit codes: 0 for success, 1 for a failure, 2 for an invalid command line, 130 after Ctrl-C.

${sections.join('\n\n')}
`;
}

async function section(entry: CommandEntry | CommandGroup, parent: string): Promise<string> {
  const path = `${parent}${entry.name}`;
  const heading = `${parent === '' ? '##' : '###'} hearth ${path}\n\n${sentence(entry)}`;
  if ('commands' in entry) {
    const below = await Promise.all(entry.commands.map((each) => section(each, `${path} `)));
    return [heading, ...below].join('\n\n');
  }
  const { positionals = {}, options = {}, examples } = await entry.load();
  const names = Object.entries(positionals).map(([name, { isRequired, isRest }]) => {
    const shown = isRest === true ? `${name}...` : name;
    return isRequired ? `<${shown}>` : `[${shown}]`;
  });
  const rows = [
    ...Object.entries(positionals).map(([name, { summary }]) => [name, summary] as const),
    ...Object.values(options).flatMap(({ flags, summary, isHidden }) =>
      isHidden === true ? [] : [[flags, summary] as const],
    ),
  ];
  const usage = ['hearth', path, ...names].join(' ');
  return [
    heading,
    `\`\`\`sh\n${usage}\n\n${examples.map((example) => `${example}\n`).join('')}\`\`\``,
    ...(rows.length === 0 ? [] : [table(rows)]),
  ].join('\n\n');
}

function sentence({ summary, aliases = [] }: CommandEntry | CommandGroup): string {
  const also =
    aliases.length === 0 ? '' : ` Also: ${aliases.map((name) => `\`${name}\``).join(', ')}.`;
  return `${summary}.${also}`;
}

function table(rows: readonly (readonly [string, string])[]): string {
  const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('<', '&lt;');
  const lines = rows.map(
    ([name, summary]) => `| \`${name.replaceAll('|', '\\|')}\` | ${cell(summary)} |`,
  );
  return ['| Argument | Description |', '| --- | --- |', ...lines].join('\n');
}
