/** Selects the variables that a child process gets, by name or by prefix (`VK_*`). */
export function filterEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
  names: readonly string[],
): Record<string, string> {
  const filtered: Record<string, string> = {};
  const prefixes = names.filter((name) => name.endsWith('*')).map((name) => name.slice(0, -1));
  const matching = Object.keys(environment).filter((name) =>
    prefixes.some((prefix) => name.startsWith(prefix)),
  );
  for (const name of [...names, ...matching]) {
    const value = environment[name];
    if (value !== undefined) filtered[name] = value;
  }
  return filtered;
}
