/** Number of tokens generated up to a time, in milliseconds. */
export interface TokenCount {
  readonly atMs: number;
  readonly tokens: number;
}

const windowMs = 60_000;

/**
 * Adds a count, and keeps the last minute. If the total has decreased, the server has restarted, so earlier counts are
 * dropped.
 */
export function withCount(counts: readonly TokenCount[], next: TokenCount): readonly TokenCount[] {
  const last = counts.at(-1);
  if (last !== undefined && next.tokens < last.tokens) return [next];
  return [...counts.filter(({ atMs }) => next.atMs - atMs <= windowMs), next];
}

/** Tokens per second between successive counts. */
export function ratesOf(counts: readonly TokenCount[]): readonly number[] {
  return counts.slice(1).map(({ atMs, tokens }, index) => {
    const before = counts[index];
    if (before === undefined || atMs <= before.atMs) return 0;
    return ((tokens - before.tokens) * 1000) / (atMs - before.atMs);
  });
}
