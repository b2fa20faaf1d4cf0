import { developerTexts } from '../../../texts/developer.ts';
import { formatCompact, formatNumber } from '../../../ui/numbers.ts';
import { formatUtcDay } from '../../../ui/dates.ts';
import { daysBetween } from './days.ts';

const labels = developerTexts.usage;

interface DayRow {
  readonly day?: string | undefined;
  readonly requests: number;
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
}

/** A stacked bar for each day: prompt tokens below, answer tokens above. */
export function UsageChart({
  from,
  to,
  rows,
}: {
  readonly from: string;
  readonly to: string;
  readonly rows: readonly DayRow[];
}) {
  const byDay = new Map(rows.map((row) => [row.day, row]));
  const days = daysBetween(from, to).map((day) => ({ day, row: byDay.get(day) }));
  const largest = Math.max(1, ...rows.map((row) => row.prompt_tokens + row.completion_tokens));
  return (
    <figure className="flex flex-col gap-2 rounded-2xl border bg-raised p-4">
      <figcaption className="flex flex-wrap items-center gap-x-4 gap-y-1 text-sm">
        <span className="font-medium">{labels.chart}</span>
        <Legend className="bg-accent/40" label={labels.columns.prompt} />
        <Legend className="bg-accent" label={labels.columns.completion} />
        <span className="ms-auto text-xs text-muted">
          {labels.most({ tokens: formatCompact(largest) })}
        </span>
      </figcaption>
      <ol className="flex h-40 items-end gap-px">
        {days.map(({ day, row }) => (
          <DayBar key={day} day={day} row={row} largest={largest} />
        ))}
      </ol>
      <div className="flex justify-between text-xs text-muted" aria-hidden>
        <span>{formatUtcDay(from)}</span>
        <span>{formatUtcDay(to)}</span>
      </div>
    </figure>
  );
}

function DayBar({
  day,
  row,
  largest,
}: {
  readonly day: string;
  readonly row: DayRow | undefined;
  readonly largest: number;
}) {
  const { requests = 0, prompt_tokens: prompt = 0, completion_tokens: completion = 0 } = row ?? {};
  const text = labels.ofDay({
    day: formatUtcDay(day),
    tokens: formatNumber(prompt + completion),
    requests,
  });
  const height = (tokens: number) => ({ height: `${(tokens / largest) * 100}%` });
  return (
    <li title={text} className="flex h-full flex-1 flex-col justify-end hover:bg-hover">
      <span className="sr-only">{text}</span>
      <span className="bg-accent" style={height(completion)} />
      <span className="bg-accent/40" style={height(prompt)} />
    </li>
  );
}

function Legend({ className, label }: { readonly className: string; readonly label: string }) {
  return (
    <span className="flex items-center gap-1.5 text-xs text-muted">
      <span className={`size-2.5 rounded-sm ${className}`} aria-hidden />
      {label}
    </span>
  );
}
