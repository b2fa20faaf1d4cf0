import { estimate, estimateRatio, type Estimate, type Rounds } from './statistics.ts';

/** Target for a ratio of both servers, or for a value of Hearth alone. */
export interface Target {
  readonly of: 'ratio' | 'Hearth';
  readonly atLeast?: number;
  readonly atMost?: number;
}

/** One line of the result. */
export interface Row {
  readonly name: string;
  readonly unit: string;
  readonly hearth: Estimate;
  /** Absent if only Hearth is measured. */
  readonly other?: Estimate;
  /** Hearth's value divided by the other server's. */
  readonly ratio?: Estimate;
  readonly target?: Target;
  readonly isReached?: boolean;
}

interface RowOptions {
  readonly name: string;
  readonly unit: string;
  /** The quantile of the samples to show; the median by default. */
  readonly fraction?: number;
  readonly target?: Target | undefined;
}

/** Creates a row from the samples of Hearth and, if it was measured, the other server. */
export function toRow(
  { name, unit, fraction = 0.5, target }: RowOptions,
  hearthRounds: Rounds,
  otherRounds?: Rounds,
): Row {
  const hearth = estimate(hearthRounds, fraction);
  const compared =
    otherRounds === undefined
      ? {}
      : {
          other: estimate(otherRounds, fraction),
          ratio: estimateRatio(hearthRounds, otherRounds, fraction),
        };
  const validated = target?.of === 'Hearth' ? hearth : compared.ratio;
  const verdict =
    target === undefined || validated === undefined
      ? {}
      : { target, isReached: isReached(target, validated.value) };
  return { name, unit, hearth, ...compared, ...verdict };
}

function isReached({ atLeast, atMost }: Target, value: number): boolean {
  return value >= (atLeast ?? -Infinity) && value <= (atMost ?? Infinity);
}
