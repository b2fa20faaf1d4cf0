import { estimate, estimateRatio, type Estimate, type Rounds } from './statistics.ts';

/** Target: a ratio of both servers, or a value of Hearth alone. */
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
  /** Absent where only Hearth is measured. */
  readonly other?: Estimate;
  /** Hearth divided by the other. */
  readonly ratio?: Estimate;
  readonly target?: Target;
  readonly isReached?: boolean;
}

interface RowOptions {
  readonly name: string;
  readonly unit: string;
  /** Which quantile of the samples; the median by default. */
  readonly fraction?: number;
  readonly target?: Target | undefined;
}

/** Samples of Hearth, and of the other server if it was measured. */
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
