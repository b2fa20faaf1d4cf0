/** Total of generated tokens at a time, in milliseconds. */
export interface TokenCount {
  readonly atMs: number;
  readonly tokens: number;
}

const windowMs = 60_000;

/** The counts of the last minute with a new one. If a total shrinks, the server has started again. */
export function withCount(counts: readonly TokenCount[], next: TokenCount): readonly TokenCount[] {
  const last = counts.at(-1);
  if (last !== undefined && next.tokens < last.tokens) return [next];
  return [...counts.filter(({ atMs }) => next.atMs - atMs <= windowMs), next];
}

/** Tokens per second between one count and the next. */
export function ratesOf(counts: readonly TokenCount[]): readonly number[] {
  return counts.slice(1).map(({ atMs, tokens }, index) => {
    const before = counts[index];
    if (before === undefined || atMs <= before.atMs) return 0;
    return ((tokens - before.tokens) * 1000) / (atMs - before.atMs);
  });
}
