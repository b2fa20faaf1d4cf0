import { settingKeys } from '../settings/settings-table.ts';
import type { CommandDescription, CommandEntry, CommandGroup } from './command.ts';
import { commandTable } from './command-table.ts';
import { connectionOptions } from './option.ts';

/** The content of `docs/cli.md`, from the command table. */
export async function commandReference(): Promise<string> {
  const sections = await Promise.all(commandTable.map((entry) => section(entry, '')));
  return `# Commands

This page is generated from the command table. \`hearth COMMAND --help\` shows the same in the terminal, and
[\`hearth completion\`](#hearth-completion) prints a script that completes commands in a shell.

\`--home DIR\` (or \`HEARTH_HOME\`) chooses the home folder of every command. Commands that send requests to a server use the
running server of that folder; \`--host URL\` (or \`HEARTH_HOST\`) chooses another one, and \`--token TOKEN\` (or
\`HEARTH_TOKEN\`) sends an API token.

Exit codes: 0 for success, 1 for a failure, 2 for an invalid command line, an invalid setting or
a damaged database, 130 after Ctrl-C.

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
  const description = await entry.load();
  const { positionals = {}, examples } = description;
  const names = Object.entries(positionals).map(([name, { isRequired, isRest }]) => {
    const shown = isRest === true ? `${name}...` : name;
    return isRequired ? `<${shown}>` : `[${shown}]`;
  });
  const rows = argumentRows(description);
  return [
    heading,
    ...(names.length === 0 ? [] : [`Usage: \`${['hearth', path, ...names].join(' ')}\``]),
    `\`\`\`sh\n${examples.map((example) => `${example}\n`).join('')}\`\`\``,
    ...(rows.length === 0 ? [] : [table(rows)]),
    ...(hasSettings(description) ? [settingsNote] : []),
  ].join('\n\n');
}

const settingsNote =
  'Every [setting](settings.md) is an option, too: `models.ttlSeconds` is `--models-ttl-seconds`.';

const isSettingKey = (name: string): boolean => settingKeys.some((key) => key === name);

function hasSettings({ options = {} }: CommandDescription): boolean {
  return Object.keys(options).some(isSettingKey);
}

/** Rows for the visible arguments and options. Settings are left out, except for those with a short name. */
function argumentRows({
  positionals = {},
  options = {},
}: CommandDescription): readonly (readonly [string, string])[] {
  const shown = Object.entries(options).filter(
    ([key, option]) =>
      option.isHidden !== true &&
      option !== connectionOptions.host &&
      option !== connectionOptions.token &&
      (!isSettingKey(key) || option.flags.includes(',')),
  );
  const connection: readonly (readonly [string, string])[] =
    options['host'] === connectionOptions.host
      ? [['--host <url>, --token <token>', 'Another server, see [above](#commands)']]
      : [];
  return [
    ...Object.entries(positionals).map(([name, { summary }]) => [name, summary] as const),
    ...shown.map(([, { flags, summary }]) => [flags, summary] as const),
    ...connection,
  ];
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
