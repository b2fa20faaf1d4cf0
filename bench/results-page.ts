import { formatFit, megabytes, type EstimateResults } from './estimates/estimate-report.ts';
import {
  describeMachine,
  formatNumber,
  formatRange,
  formatTarget,
  formatVerdict,
  type BenchResults,
} from './report.ts';
import { webAppMarkdown, type WebAppFigures } from './web-app-page.ts';

/** Formats results of `npm run bench -- --json` as Markdown: the machine, the options and a table. */
export function resultsMarkdown(results: BenchResults | EstimateResults | WebAppFigures): string {
  if ('figures' in results) return webAppMarkdown(results);
  const { surroundings } = results;
  const { date, hearth, model, parallel, threads, rounds } = surroundings;
  const machine = `Measured on ${date} with Hearth ${hearth}: ${describeMachine(surroundings)}.`;
  return 'estimates' in results
    ? [machine, '', ...estimatesTable(results)].join('\n')
    : [
        `${machine} Model: ${model}; ${parallel} slots, threads: ${threads}, rounds: ${rounds}.`,
        '',
        ...comparisonTable(results),
      ].join('\n');
}

function comparisonTable({ against, rows }: BenchResults): string[] {
  return table(
    ['Measurement', 'Unit', 'Hearth', against, 'Ratio', 'Range', 'Target', 'Result'],
    ['---', '---', '--:', '--:', '--:', '--:', '---', '---'],
    rows.map((row) => [
      row.name,
      row.unit,
      formatNumber(row.hearth.value),
      row.other === undefined ? '' : formatNumber(row.other.value),
      row.ratio?.value.toFixed(2) ?? '',
      formatRange(row),
      row.target === undefined ? '' : formatTarget(row.target),
      formatVerdict(row.isReached),
    ]),
  );
}

function estimatesTable({ estimates }: EstimateResults): string[] {
  return table(
    ['Model', 'Context', 'Slots', 'Cache', 'Predicted', 'Loaded', 'Filled', 'Ratio', 'Result'],
    ['---', '--:', '--:', '---', '--:', '--:', '--:', '--:', '---'],
    estimates.map((row) => [
      row.model,
      String(row.contextLength),
      String(row.parallel),
      row.kvCacheType,
      megabytes(row.predictedBytes),
      megabytes(row.loadedBytes),
      megabytes(row.filledBytes),
      row.ratio.toFixed(2),
      formatFit(row.ratio),
    ]),
  );
}

function table(
  titles: readonly string[],
  alignment: readonly string[],
  rows: readonly (readonly string[])[],
): string[] {
  return [titles, alignment, ...rows].map((cells) => `| ${cells.join(' | ')} |`);
}
