/** Samples of one measurement of one server, at least one per round. */
export type Rounds = readonly (readonly number[])[];

/** A value over all rounds, with the lowest and highest value of a single round. */
export interface Estimate {
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

/**
 * The quantile of a non-empty sample, interpolated between neighbors (Hyndman and Fan 1996, type 7).
 *
 * @param fraction 0 for the smallest, 0.5 for the median, 1 for the largest.
 */
export function quantile(samples: readonly number[], fraction: number): number {
  const sorted = samples.toSorted((left, right) => left - right);
  const position = (sorted.length - 1) * fraction;
  const below = sorted[Math.floor(position)];
  const above = sorted[Math.ceil(position)];
  if (below === undefined || above === undefined) throw new RangeError('no samples');
  return below + (above - below) * (position - Math.floor(position));
}

/** The quantile of all samples together, with its range over the rounds. */
export function estimate(rounds: Rounds, fraction: number): Estimate {
  return withRange(
    quantile(rounds.flat(), fraction),
    rounds.map((samples) => quantile(samples, fraction)),
  );
}

/** The ratio of two quantiles, with the range of this ratio over the rounds. */
export function estimateRatio(dividend: Rounds, divisor: Rounds, fraction: number): Estimate {
  const ratio = (above: readonly number[], below: readonly number[]): number =>
    quantile(above, fraction) / quantile(below, fraction);
  return withRange(
    ratio(dividend.flat(), divisor.flat()),
    dividend.map((samples, round) => ratio(samples, divisor[round] ?? [])),
  );
}

function withRange(value: number, ofRounds: readonly number[]): Estimate {
  return { value, low: Math.min(...ofRounds), high: Math.max(...ofRounds) };
}
