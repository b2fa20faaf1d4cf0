const days = { never: undefined, week: 7, month: 30, year: 365 };

export type Expiry = keyof typeof days;

/** Expiry time of a token that is created now; undefined if it never expires. */
export function expiresAt(expiry: Expiry, nowMs: number): string | undefined {
  const count = days[expiry];
  return count === undefined ? undefined : new Date(nowMs + count * 86_400_000).toISOString();
}
