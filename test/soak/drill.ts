/** Size of a drill. `npm run soak` sets it; the test suite runs the short form. */
interface DrillSize {
  readonly isShort: boolean;
  readonly seconds: number;
  readonly count: number;
}

export function drillSize(short: {
  readonly seconds?: number;
  readonly count?: number;
}): DrillSize {
  const { HEARTH_SOAK_SECONDS: seconds, HEARTH_SOAK_COUNT: count } = process.env;
  return {
    isShort: seconds === undefined && count === undefined,
    seconds: Number(seconds ?? short.seconds ?? 0),
    count: Number(count ?? short.count ?? 0),
  };
}

/** Prints a line of figures. */
export function report(line: string): void {
  // oxlint-disable-next-line no-console
  console.log(line);
}

/** `p50 12, p99 40, highest 41` of durations in milliseconds. */
export function describeTimes(milliseconds: readonly number[]): string {
  const sorted = milliseconds.toSorted((left, right) => left - right);
  const at = (fraction: number): string =>
    (sorted[Math.round((sorted.length - 1) * fraction)] ?? Number.NaN).toFixed(0);
  return `p50 ${at(0.5)}, p99 ${at(0.99)}, highest ${at(1)} ms`;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
