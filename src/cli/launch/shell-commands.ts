import { formatCommand } from '../service/format-command.ts';

/** Lines that set variables and start a program, for PowerShell on Windows and for POSIX shells elsewhere. */
export function shellCommands(
  environment: Readonly<Record<string, string>>,
  command: readonly string[],
  platform: NodeJS.Platform,
): readonly string[] {
  const variables = Object.entries(environment);
  if (platform === 'win32') {
    return [
      ...variables.map(([name, value]) => `$env:${name} = ${quoteForPowerShell(value)}`),
      ['&', ...command.map(quoteForPowerShell)].join(' '),
    ];
  }
  return [
    ...variables.map(([name, value]) => `export ${name}=${formatCommand([value])}`),
    formatCommand(command),
  ];
}

function quoteForPowerShell(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
