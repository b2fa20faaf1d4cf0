import { HearthError } from '../../../kernel/errors/errors.ts';
import {
  getRequest,
  listRequests,
  type RequestDetails,
  type RequestSummary,
} from './request-schema.ts';
import type { RequestLog } from '../../../telemetry/request-log.ts';
import { type App, mount } from '../../kit/mount.ts';
import { shorten } from '../../kit/validation/shown-value.ts';
import { omitUndefined } from '../../../kernel/omit-undefined.ts';
import {
  generatesText,
  type GenerationRecord,
  type Phase,
  type RequestRecord,
  type Reread,
} from '../../../kernel/request/request-record.ts';

export function mountRequests(app: App, requestLog: RequestLog): void {
  mount(app, listRequests, async ({ query }) => ({
    requests: requestLog
      .list()
      .filter(({ model }) => query.model === undefined || model === query.model)
      .filter(({ state }) => query.state === undefined || state === query.state)
      .slice(0, query.limit)
      .map(toRequestSummary),
  }));

  mount(app, getRequest, async ({ params }) => {
    const record = requestLog.find(params.id);
    if (record !== undefined) return toRequestDetails(record);
    throw new HearthError(
      'request_not_found',
      `The server remembers no request with the id ${shorten(params.id)}; it keeps the latest ones.`,
      { param: 'id' },
    );
  });
}

export function toRequestSummary(record: RequestRecord): RequestSummary {
  const { caller, phases, generations, failure, firstTokenMs } = record;
  return {
    id: record.id,
    request_id: record.requestId,
    state: record.state,
    started_at: record.startedAt.toISOString(),
    method: record.method,
    path: record.path,
    route: record.route,
    status: record.status,
    caller: caller === null ? null : { token_id: caller.tokenId, name: caller.name },
    tool_calls: phases.flatMap(toToolCalls),
    ...omitUndefined({
      operation: generations[0]?.operation,
      model: record.model,
      instance_id: record.instanceId,
      tried: record.tried.length === 0 ? undefined : [...record.tried],
      duration_seconds: record.durationSeconds,
      queue_seconds: secondsOf(phases, 'queue'),
      load_seconds: secondsOf(phases, 'load'),
      time_to_first_token_seconds:
        firstTokenMs === undefined ? undefined : (firstTokenMs - record.startMs) / 1000,
      tokens_per_second: speedOf(generations),
      prompt_tokens: sumOf(generations, ({ outcome }) => outcome.usage?.promptTokens),
      cached_tokens: sumOf(generations, ({ outcome }) => outcome.usage?.cachedTokens),
      reread: longestReread(generations),
      completion_tokens: sumOf(
        generations,
        ({ operation, outcome, tokenCount }) =>
          outcome.usage?.completionTokens ?? (generatesText(operation) ? tokenCount : undefined),
      ),
      stop_reason: generations.at(-1)?.outcome.stopReason,
      error: failure,
    }),
  };
}

export function toRequestDetails(record: RequestRecord): RequestDetails {
  return {
    ...toRequestSummary(record),
    prompts_recorded: record.keepsPrompts,
    generations: record.generations.flatMap(toGenerations),
    ...omitUndefined({ body: record.body }),
  };
}

function toToolCalls(phase: Phase): RequestSummary['tool_calls'] {
  const { subject, hasFailed, seconds } = phase;
  if (subject.name !== 'tool') return [];
  const { tool, provider } = subject;
  return [{ tool, provider, failed: hasFailed, duration_seconds: seconds }];
}

function toGenerations({ texts, outcome }: GenerationRecord): RequestDetails['generations'] {
  if (texts === undefined) return [];
  const { usage, stopReason } = outcome;
  return [
    {
      prompt: texts.prompt,
      output: texts.output,
      truncated: texts.isTruncated,
      ...omitUndefined({
        tool_calls: texts.toolCalls === '' ? undefined : texts.toolCalls,
        prompt_tokens: usage?.promptTokens,
        completion_tokens: usage?.completionTokens,
        stop_reason: stopReason,
      }),
    },
  ];
}

function secondsOf(phases: readonly Phase[], name: 'queue' | 'load'): number | undefined {
  const named = phases.filter(({ subject }) => subject.name === name);
  if (named.length === 0) return undefined;
  return named.reduce((sum, { seconds }) => sum + seconds, 0);
}

/**
 * Tokens per second of the generations. The first token of each is excluded, since its time belongs to prompt
 * processing.
 */
function speedOf(generations: readonly GenerationRecord[]): number | undefined {
  let tokens = 0;
  let seconds = 0;
  for (const { outcome } of generations) {
    const { completionTokens = 0, generationMs = 0 } = outcome.usage ?? {};
    if (completionTokens < 2) continue;
    tokens += completionTokens;
    seconds += generationMs / 1000;
  }
  return seconds > 0 ? tokens / seconds : undefined;
}

function longestReread(generations: readonly GenerationRecord[]): Reread | undefined {
  return generations
    .map(({ outcome }) => outcome.reread)
    .reduce(
      (longest, each) => ((each?.tokens ?? 0) > (longest?.tokens ?? 0) ? each : longest),
      undefined,
    );
}

function sumOf(
  generations: readonly GenerationRecord[],
  pick: (generation: GenerationRecord) => number | undefined,
): number | undefined {
  const values = generations.map(pick).filter((value) => value !== undefined);
  return values.length === 0 ? undefined : values.reduce((sum, value) => sum + value, 0);
}
