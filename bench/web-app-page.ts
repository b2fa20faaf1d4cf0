import { formatNumber, formatVerdict } from './report.ts';
import { quantile } from './statistics.ts';

/** Measurements of the web app by the scripts in `test/browser/by-hand/`. */
export interface WebAppFigures {
  readonly surroundings: {
    readonly date: string;
    readonly hearth: string;
    readonly cpu: string;
    readonly cores: number;
    readonly platform: string;
    readonly browser: string;
  };
  readonly figures: readonly WebAppFigure[];
}

export interface WebAppFigure {
  readonly name: string;
  readonly unit: string;
  /** One value per repetition. */
  readonly values: readonly number[];
  readonly atMost?: number;
  readonly atLeast?: number;
}

/** Formats the figures as Markdown: the machine and a table. */
export function webAppMarkdown({ surroundings, figures }: WebAppFigures): string {
  const { date, hearth, cpu, cores, platform, browser } = surroundings;
  const cells = figures.map((figure) => [
    figure.name,
    figure.unit,
    formatNumber(quantile(figure.values, 0.5)),
    figure.values.length === 1 ? '' : rangeOf(figure),
    targetOf(figure),
    formatVerdict(isReached(figure)),
  ]);
  return [
    `Measured on ${date} with Hearth ${hearth}: ${platform}, ${cores} × ${cpu}, ${browser}.`,
    '',
    '| Measurement | Unit | Median | Range | Target | Result |',
    '| --- | --- | --: | --: | --- | --- |',
    ...cells.map((row) => `| ${row.join(' | ')} |`),
  ].join('\n');
}

/** Undefined if a figure has no target. */
export function isReached(figure: WebAppFigure): boolean | undefined {
  const { atMost, atLeast } = figure;
  const median = quantile(figure.values, 0.5);
  if (atMost !== undefined) return median <= atMost;
  return atLeast === undefined ? undefined : median >= atLeast;
}

function rangeOf({ values }: WebAppFigure): string {
  return `${formatNumber(Math.min(...values))} to ${formatNumber(Math.max(...values))}`;
}

function targetOf({ atMost, atLeast }: WebAppFigure): string {
  if (atMost !== undefined) return `≤ ${atMost}`;
  return atLeast === undefined ? '' : `≥ ${atLeast}`;
}
