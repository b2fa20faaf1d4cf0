import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { statusQuery } from '../../../api/queries.ts';
import { usePermissions } from '../../../api/permissions.ts';
import { developerTexts } from '../../../texts/developer.ts';
import { formatBytes } from '../../../ui/bytes.ts';
import { formatDuration } from '../../../ui/duration.ts';
import { Notice } from '../../../ui/notice.tsx';
import { QueryView } from '../../../ui/query-view.tsx';
import { InstanceList } from './instance-list.tsx';
import { sumOf, type Sample } from './parse-metrics.ts';
import { ServerFacts } from './server-facts.tsx';
import { Sparkline } from './sparkline.tsx';
import { useMetrics } from './use-metrics.ts';
import { formatDecimal, formatNumber } from '../../../ui/numbers.ts';

const labels = developerTexts.overview;
const refreshMs = 5000;

/** Speed, queue and memory of the server at a glance. */
export function OverviewPart() {
  const status = useQuery({ ...statusQuery, refetchInterval: refreshMs });
  const { samples, rates } = useMetrics();
  const isAllowed = usePermissions();
  return (
    <QueryView query={status}>
      {(data) => (
        <div className="flex flex-col gap-6">
          <dl className="grid grid-cols-2 gap-3 lg:grid-cols-3">
            {isAllowed('metrics') && <MetricFigures samples={samples} rates={rates} />}
            <Figure
              name={labels.memory}
              value={formatBytes(data.memory.reserved_bytes)}
              hint={labels.memoryHint({ available: formatBytes(data.memory.available_bytes) })}
            />
          </dl>
          {!isAllowed('metrics') && isAllowed('models:read') && <Notice>{labels.noMetrics}</Notice>}
          <InstanceList instances={data.instances} />
          <ServerFacts status={data} readAtMs={status.dataUpdatedAt} />
        </div>
      )}
    </QueryView>
  );
}

/** Reserves its space before the metrics arrive, so that the content below does not move. */
function MetricFigures({
  samples,
  rates,
}: {
  readonly samples: readonly Sample[] | undefined;
  readonly rates: readonly number[];
}) {
  const number = (name: string) =>
    samples === undefined ? labels.none : formatNumber(sumOf(samples, name) ?? 0);
  const lag = (quantile: string) => {
    const seconds = sumOf(samples ?? [], `nodejs_eventloop_lag_${quantile}_seconds`);
    return seconds === undefined ? labels.none : formatDuration(seconds);
  };
  return (
    <>
      <Figure
        name={labels.speed}
        value={samples === undefined ? labels.none : formatDecimal(rates.at(-1) ?? 0)}
        hint={labels.speedHint}
        chart={<Sparkline values={rates} />}
      />
      <Figure name={labels.running} value={number('hearth_num_requests_running')} />
      <Figure name={labels.queued} value={number('hearth_num_requests_waiting')} />
      <Figure
        name={labels.tokensTotal}
        value={number('hearth_generation_tokens_total')}
        hint={labels.tokensHint({
          prompt: number('hearth_prompt_tokens_total'),
          cached: number('hearth_prompt_tokens_cached_total'),
        })}
      />
      <Figure
        name={labels.eventLoop}
        value={lag('p99')}
        hint={labels.eventLoopHint({ median: lag('p50') })}
      />
    </>
  );
}

function Figure({
  name,
  value,
  hint,
  chart,
}: {
  readonly name: string;
  readonly value: string;
  readonly hint?: string;
  readonly chart?: ReactNode;
}) {
  return (
    <div className="flex min-w-0 flex-col gap-0.5 rounded-2xl border bg-raised px-4 py-3">
      <dt className="text-xs font-medium text-muted">{name}</dt>
      <dd className="text-xl font-semibold tracking-tight break-words tabular-nums">{value}</dd>
      {hint !== undefined && <dd className="text-xs text-muted">{hint}</dd>}
      {chart !== undefined && <dd className="mt-1">{chart}</dd>}
    </div>
  );
}
