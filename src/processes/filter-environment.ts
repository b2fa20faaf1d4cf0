/** The variables of an environment that have one of the names, as they are. Nothing else goes to a child. */
export function filterEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
  names: readonly string[],
): Record<string, string> {
  const filtered: Record<string, string> = {};
  for (const name of names) {
    const value = environment[name];
    if (value !== undefined) filtered[name] = value;
  }
  return filtered;
}
