/** A command line for a POSIX shell. */
export function formatCommand(command: readonly string[]): string {
  return command
    .map((word) =>
      /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`,
    )
    .join(' ');
}
