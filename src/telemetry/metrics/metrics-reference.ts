import { metricTable, type MetricDeclaration } from './metric-table.ts';

/** The metrics table of `docs/observability.md`. */
export function metricsMarkdown(): string {
  const table: Readonly<Record<string, MetricDeclaration>> = metricTable;
  const rows = Object.entries(table).map(([name, { type, labels, help, alike = [] }]) => {
    const labelList = labels.map((label) => `\`${label}\``).join(', ');
    const alikeList = alike.map((each) => `\`${each}\``).join(', ');
    return `| \`${name}\` | ${type} | ${labelList} | ${help} | ${alikeList} |`;
  });
  return ['| Metric | Type | Labels | Meaning | Same as |', '|---|---|---|---|---|', ...rows].join(
    '\n',
  );
}
