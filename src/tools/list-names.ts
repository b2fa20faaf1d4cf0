const maxNames = 50;

/** Lists names in a message, the first 50 of them. */
export function listNames(names: readonly string[]): string {
  if (names.length === 0) return 'none';
  const rest = names.length - maxNames;
  const shown = names.slice(0, maxNames).join(', ');
  return rest > 0 ? `${shown} and ${rest} more` : shown;
}
