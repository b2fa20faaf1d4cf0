import type { RequestSummary } from '../../../../../src/api/v1/server/request-schema.ts';
import { developerTexts } from '../../../texts/developer.ts';
import { Badge, type Tone } from '../../../ui/badge.tsx';
import { formatTime } from '../../../ui/dates.ts';
import { formatDuration } from '../../../ui/duration.ts';
import { formatDecimal, formatNumber } from '../../../ui/numbers.ts';

const labels = developerTexts.requests;
const { columns } = labels;
export const stateTones: Readonly<Record<RequestSummary['state'], Tone>> = {
  running: 'accent',
  completed: 'ok',
  failed: 'danger',
  cancelled: 'warn',
};
const cell = 'px-3 py-2 whitespace-nowrap';
const number = `${cell} text-end tabular-nums`;

/** Requests, newest first, in a table that scrolls sideways on narrow screens. */
export function RequestTable({
  requests,
  onInspect,
}: {
  readonly requests: readonly RequestSummary[];
  readonly onInspect: (id: string) => void;
}) {
  if (requests.length === 0) {
    return <p className="py-8 text-center text-sm text-muted">{labels.empty}</p>;
  }
  return (
    <div
      tabIndex={0}
      role="region"
      aria-label={labels.title}
      className="overflow-x-auto rounded-2xl border bg-raised"
    >
      <table className="w-full text-sm">
        <thead className="border-b text-xs text-muted">
          <tr>
            <th className={`${cell} text-start`}>{columns.time}</th>
            <th className={`${cell} text-start`}>{columns.state}</th>
            <th className={`${cell} text-start`}>{columns.request}</th>
            <th className={`${cell} text-start`}>{columns.model}</th>
            <th className={number}>{columns.tokens}</th>
            <th className={number}>{columns.speed}</th>
            <th className={number}>{columns.duration}</th>
          </tr>
        </thead>
        <tbody className="divide-y">
          {requests.map((request) => (
            <RequestRow key={request.id} request={request} onInspect={onInspect} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function RequestRow({
  request,
  onInspect,
}: {
  readonly request: RequestSummary;
  readonly onInspect: (id: string) => void;
}) {
  const { id, state, status, method, path, model, started_at } = request;
  const { completion_tokens, tokens_per_second, duration_seconds } = request;
  return (
    <tr className="hover:bg-hover">
      <td className={`${cell} tabular-nums`}>{formatTime(started_at)}</td>
      <td className={cell}>
        <Badge tone={stateTones[state]}>
          {state === 'failed' && status !== null ? status : labels.states[state]}
        </Badge>
      </td>
      <td className={cell}>
        <button
          type="button"
          className="max-w-72 truncate text-start font-mono text-[13px] hover:underline"
          aria-label={labels.inspect({ path: `${method} ${path}` })}
          onClick={() => onInspect(id)}
        >
          {`${method} ${path}`}
        </button>
      </td>
      <td className={`${cell} max-w-56 truncate text-muted`}>{model}</td>
      <td className={number}>
        {completion_tokens !== undefined && formatNumber(completion_tokens)}
      </td>
      <td className={number}>
        {tokens_per_second !== undefined && formatDecimal(tokens_per_second)}
      </td>
      <td className={number}>
        {duration_seconds === undefined ? '' : formatDuration(duration_seconds)}
      </td>
    </tr>
  );
}
