const maximumNames = 50;

/** Names for a message; not all of very many. */
export function listNames(names: readonly string[]): string {
  if (names.length === 0) return 'none';
  const rest = names.length - maximumNames;
  const shown = names.slice(0, maximumNames).join(', ');
  return rest > 0 ? `${shown} and ${rest} more` : shown;
}
