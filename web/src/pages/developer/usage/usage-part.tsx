import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../../api/client.ts';
import { developerTexts } from '../../../texts/developer.ts';
import { formatNumber } from '../../../ui/numbers.ts';
import { Section } from '../../../ui/page.tsx';
import { QueryView } from '../../../ui/query-view.tsx';
import { Select } from '../../../ui/select.tsx';
import { UsageChart } from './usage-chart.tsx';

const labels = developerTexts.usage;
const { columns } = labels;
const cell = 'px-3 py-2';
const number = `${cell} text-end tabular-nums whitespace-nowrap`;

type Group = keyof typeof labels.groups;

function useUsage(group: 'day' | Group) {
  return useQuery({
    queryKey: ['usage', group],
    queryFn: ({ signal }) =>
      call('get', '/api/v1/usage', { query: { group_by: group } }, { signal }),
  });
}

/** Usage in the last 30 days: by day as a chart, by model or token as a table. */
export function UsagePart() {
  const [group, setGroup] = useState<Group>('model');
  const byDay = useUsage('day');
  return (
    <Section title={labels.title} description={labels.description}>
      <QueryView query={byDay}>
        {({ from, to, totals, rows }) =>
          totals.requests === 0 ? (
            <p className="text-sm text-muted">{labels.empty}</p>
          ) : (
            <div className="flex flex-col gap-6">
              <UsageChart from={from} to={to} rows={rows} />
              <div className="flex flex-col gap-2">
                <Select
                  label={labels.groupBy}
                  value={group}
                  options={labels.groups}
                  onChange={setGroup}
                  className="!w-auto self-start"
                />
                <UsageTable group={group} />
              </div>
            </div>
          )
        }
      </QueryView>
    </Section>
  );
}

function UsageTable({ group }: { readonly group: Group }) {
  const query = useUsage(group);
  return (
    <QueryView query={query}>
      {({ rows, totals }) => (
        <div
          tabIndex={0}
          role="region"
          aria-label={labels.title}
          className="overflow-x-auto rounded-2xl border bg-raised"
        >
          <table className="w-full text-sm">
            <thead className="border-b text-xs text-muted">
              <tr>
                <th className={`${cell} text-start`}>{columns[group]}</th>
                <th className={number}>{columns.requests}</th>
                <th className={number}>{columns.failed}</th>
                <th className={number}>{columns.prompt}</th>
                <th className={number}>{columns.cached}</th>
                <th className={number}>{columns.completion}</th>
              </tr>
            </thead>
            <tbody className="divide-y">
              {rows.map((row) => (
                <UsageRow key={row.model ?? row.token_id ?? ''} name={nameOf(row)} counts={row} />
              ))}
            </tbody>
            <tfoot className="border-t font-medium">
              <UsageRow name={labels.total} counts={totals} />
            </tfoot>
          </table>
        </div>
      )}
    </QueryView>
  );
}

interface Counts {
  readonly requests: number;
  readonly failed_requests: number;
  readonly prompt_tokens: number;
  readonly cached_prompt_tokens: number;
  readonly completion_tokens: number;
}

function UsageRow({ name, counts }: { readonly name: string; readonly counts: Counts }) {
  return (
    <tr>
      <th scope="row" className={`${cell} text-start [font-weight:inherit] break-words`}>
        <bdi>{name}</bdi>
      </th>
      <td className={number}>{formatNumber(counts.requests)}</td>
      <td className={number}>{formatNumber(counts.failed_requests)}</td>
      <td className={number}>{formatNumber(counts.prompt_tokens)}</td>
      <td className={number}>{formatNumber(counts.cached_prompt_tokens)}</td>
      <td className={number}>{formatNumber(counts.completion_tokens)}</td>
    </tr>
  );
}

/** A name for a token; a revoked token has none. */
function nameOf({
  model,
  token_id: id,
  token_name: name,
}: {
  readonly model?: string | undefined;
  readonly token_id?: string | null | undefined;
  readonly token_name?: string | null | undefined;
}): string {
  return model ?? name ?? id ?? labels.noToken;
}
