import { useQuery } from '@tanstack/react-query';
import type { RequestDetails } from '../../../../../src/api/v1/server/request-schema.ts';
import { basePath } from '../../../api/base-path.ts';
import { call } from '../../../api/client.ts';
import { sessionQuery } from '../../../api/queries.ts';
import { developerTexts } from '../../../texts/developer.ts';
import { Badge } from '../../../ui/badge.tsx';
import { CodeText } from '../../../ui/code-text.tsx';
import { formatDateTime } from '../../../ui/dates.ts';
import { Dialog } from '../../../ui/dialog.tsx';
import { formatDuration } from '../../../ui/duration.ts';
import { Facts } from '../../../ui/facts.tsx';
import { Notice } from '../../../ui/notice.tsx';
import { QueryView } from '../../../ui/query-view.tsx';
import { stateTones } from './request-table.tsx';
import { toCurl, toProgram } from './snippets.ts';
import { formatDecimal } from '../../../ui/numbers.ts';

const { inspector: labels, states } = developerTexts.requests;

/** A request with its statistics, prompts and output, and code to repeat it. */
export function RequestDialog({
  id,
  onClose,
}: {
  readonly id: string | undefined;
  readonly onClose: () => void;
}) {
  return (
    <Dialog isOpen={id !== undefined} onClose={onClose} title={labels.title} className="!max-w-3xl">
      {id !== undefined && <RequestView id={id} />}
    </Dialog>
  );
}

function RequestView({ id }: { readonly id: string }) {
  const query = useQuery({
    queryKey: ['requests', id],
    queryFn: ({ signal }) => call('get', '/api/v1/requests/{id}', { params: { id } }, { signal }),
    refetchInterval: ({ state }) => (state.data?.state === 'running' ? 1000 : false),
  });
  return (
    <QueryView query={query}>
      {(request) => (
        <div className="flex flex-col gap-4">
          <p className="flex flex-wrap items-center gap-2 font-mono text-sm break-all">
            <Badge tone={stateTones[request.state]}>{states[request.state]}</Badge>
            {`${request.method} ${request.path}`}
          </p>
          {request.error !== undefined && (
            <Notice tone="danger" title={request.error.code}>
              {request.error.message}
            </Notice>
          )}
          <Facts facts={factsOf(request)} />
          <Recorded request={request} />
          <Snippets request={request} />
        </div>
      )}
    </QueryView>
  );
}

function factsOf(request: RequestDetails) {
  const seconds = (value: number | undefined) =>
    value === undefined ? undefined : formatDuration(value);
  const { prompt_tokens, cached_tokens, completion_tokens, caller, tool_calls } = request;
  return [
    [developerTexts.requests.columns.time, formatDateTime(request.started_at)],
    [labels.id, request.request_id],
    [labels.caller, caller === null ? labels.noToken : `${caller.name} (${caller.token_id})`],
    [labels.status, request.status?.toString()],
    [developerTexts.requests.columns.model, request.model],
    [labels.queue, seconds(request.queue_seconds)],
    [labels.load, seconds(request.load_seconds)],
    [labels.firstToken, seconds(request.time_to_first_token_seconds)],
    [labels.duration, seconds(request.duration_seconds)],
    [
      labels.tokens,
      prompt_tokens === undefined
        ? undefined
        : `${prompt_tokens} / ${cached_tokens ?? 0} / ${completion_tokens ?? 0}`,
    ],
    [
      developerTexts.requests.columns.speed,
      request.tokens_per_second === undefined
        ? undefined
        : formatDecimal(request.tokens_per_second),
    ],
    [labels.reread, request.reread?.message],
    [labels.stop, request.stop_reason],
    [
      labels.toolCalls,
      tool_calls
        .map(({ provider, tool, failed, duration_seconds }) =>
          [
            `${provider} ${tool}`,
            formatDuration(duration_seconds),
            ...(failed ? [labels.failed] : []),
          ].join(', '),
        )
        .join('; '),
    ],
  ] as const;
}

function Recorded({ request }: { readonly request: RequestDetails }) {
  if (!request.prompts_recorded) return <Notice>{labels.notRecorded}</Notice>;
  return (
    <>
      {request.body !== undefined && (
        <Text title={labels.body} text={JSON.stringify(request.body, null, 2)} />
      )}
      {request.generations.map(({ prompt, output, tool_calls, truncated }, index) => (
        <section key={index} className="flex flex-col gap-2">
          {request.generations.length > 1 && (
            <h3 className="text-sm font-semibold">{labels.generation({ number: index + 1 })}</h3>
          )}
          <Text title={labels.prompt} text={prompt} />
          <Text title={labels.output} text={output} />
          {tool_calls !== undefined && <Text title={labels.toolCalls} text={tool_calls} />}
          {truncated && <p className="text-xs text-muted">{labels.truncated}</p>}
        </section>
      ))}
    </>
  );
}

function Snippets({ request }: { readonly request: RequestDetails }) {
  const { data } = useQuery(sessionQuery);
  const { method, path, body } = request;
  const repeated = { method, path, body };
  const place = { origin: location.origin + basePath, needsToken: data?.auth_required === true };
  return (
    <>
      <Text title={labels.curl} text={toCurl(repeated, place)} />
      <Text title={labels.sdk} text={toProgram(repeated, place)} />
    </>
  );
}

function Text({ title, text }: { readonly title: string; readonly text: string }) {
  return (
    <div className="flex flex-col gap-1">
      <h3 className="text-xs font-medium text-muted">{title}</h3>
      <CodeText text={text} label={title} />
    </div>
  );
}
