import { writeTable } from '../../src/cli/ui/table.ts';
import type { Terminal } from '../../src/cli/ui/terminal.ts';
import { describeMachine, type Surroundings } from '../report.ts';
import type { EstimateRow } from './measure-estimate.ts';

/** Largest accepted deviation of an estimate. */
const tolerance = 0.15;

/** Results of one run with `--estimates`. */
export interface EstimateResults {
  readonly surroundings: Surroundings;
  readonly estimates: readonly EstimateRow[];
}

/** Writes the results as a table. */
export function writeEstimates(
  { output }: Pick<Terminal, 'output'>,
  { surroundings, estimates }: EstimateResults,
): void {
  output.line(describeMachine(surroundings));
  output.line();
  writeTable<EstimateRow>(
    output,
    [
      { title: 'MODEL', value: ({ model }) => model },
      { title: 'CONTEXT', value: ({ contextLength }) => String(contextLength), isNumber: true },
      { title: 'SLOTS', value: ({ parallel }) => String(parallel), isNumber: true },
      { title: 'CACHE', value: ({ kvCacheType }) => kvCacheType },
      {
        title: 'PREDICTED',
        value: ({ predictedBytes }) => megabytes(predictedBytes),
        isNumber: true,
      },
      { title: 'LOADED', value: ({ loadedBytes }) => megabytes(loadedBytes), isNumber: true },
      { title: 'FILLED', value: ({ filledBytes }) => megabytes(filledBytes), isNumber: true },
      { title: 'RATIO', value: ({ ratio }) => ratio.toFixed(2), isNumber: true },
      { title: '', value: ({ ratio }) => formatFit(ratio) },
    ],
    estimates,
  );
}

/** `ok` if an estimate is close enough, else `miss`. */
export function formatFit(ratio: number): 'ok' | 'miss' {
  return Math.abs(ratio - 1) <= tolerance ? 'ok' : 'miss';
}

export function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}
