export type ParsedPairs =
  | { readonly pairs: Readonly<Record<string, string>> }
  /** The first line without `name = value`. */
  | { readonly badLine: string };

/** Parses one `name = value` per line; ignores empty lines. A value may contain `=`. */
export function parsePairs(text: string): ParsedPairs {
  const pairs: Record<string, string> = {};
  for (const line of linesOf(text)) {
    const at = line.indexOf('=');
    const name = line.slice(0, Math.max(at, 0)).trim();
    if (name === '') return { badLine: line };
    Object.defineProperty(pairs, name, {
      value: line.slice(at + 1).trim(),
      enumerable: true,
      configurable: true,
    });
  }
  return { pairs };
}

export function formatPairs(pairs: Readonly<Record<string, string>>): string {
  return Object.entries(pairs)
    .map(([name, value]) => `${name} = ${value}`)
    .join('\n');
}

/** The trimmed lines of a text, without empty ones. */
export function linesOf(text: string): readonly string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}
