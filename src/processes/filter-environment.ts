/** Returns the variables of an environment that have one of the names. A child process gets no others. */
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
