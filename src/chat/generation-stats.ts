import { addDrafts, type InterruptedReport } from '../engines/session-event.ts';
import { omitUndefined } from '../kernel/omit-undefined.ts';
import type { ModelSelection } from '../library/model.ts';
import type { TurnTimings, TurnUsage } from '../store/turns/conversation-turn.ts';
import type { Operation } from '../kernel/request/request-record.ts';
import type { RequestContext } from '../kernel/request/request-context.ts';

export interface GenerationStats {
  readonly usage: TurnUsage;
  readonly timings: TurnTimings;
}

/**
 * Sums the reports of a turn's generations; zeros if none has ended.
 *
 * @param loadTimeSeconds Undefined if the model was already loaded.
 */
export function sumReports(
  reports: readonly InterruptedReport[],
  loadTimeSeconds?: number,
): GenerationStats {
  const sum = { promptTokens: 0, cachedTokens: 0, completionTokens: 0, reasoningTokens: 0 };
  let drafts: TurnUsage['drafts'];
  let generationSeconds = 0;
  // Speed counts only generations with at least two tokens: the first token is part of processing the prompt.
  let timedTokens = 0;
  let timedSeconds = 0;
  for (const { usage, reasoningTokens } of reports) {
    const seconds = usage.generationMs / 1000;
    sum.promptTokens += usage.promptTokens;
    sum.cachedTokens += usage.cachedTokens;
    sum.completionTokens += usage.completionTokens;
    sum.reasoningTokens += reasoningTokens;
    if (usage.drafts !== undefined) drafts = addDrafts(drafts, usage.drafts);
    generationSeconds += seconds;
    if (usage.completionTokens > 1) {
      timedTokens += usage.completionTokens;
      timedSeconds += seconds;
    }
  }
  return {
    usage: { ...sum, ...omitUndefined({ drafts }) },
    timings: {
      timeToFirstTokenSeconds: reports[0]?.timeToFirstTokenSeconds ?? 0,
      generationSeconds,
      tokensPerSecond: timedSeconds > 0 ? timedTokens / timedSeconds : 0,
      ...omitUndefined({ loadTimeSeconds }),
    },
  };
}

/**
 * Tokens per second of an answer. The first token counts as part of the prompt's processing. If it is the only one, its
 * whole time counts, since there is no other. 0 for an answer without tokens.
 */
export function answerSpeed({
  usage,
  timings,
}: {
  readonly usage: Pick<TurnUsage, 'completionTokens'>;
  readonly timings: TurnTimings;
}): number {
  const { tokensPerSecond, timeToFirstTokenSeconds, generationSeconds } = timings;
  if (tokensPerSecond > 0) return tokensPerSecond;
  const seconds = timeToFirstTokenSeconds + generationSeconds;
  return seconds > 0 ? usage.completionTokens / seconds : 0;
}

interface LoggedGeneration {
  readonly selection: ModelSelection;
  readonly usage: Pick<TurnUsage, 'promptTokens' | 'drafts'> & Partial<TurnUsage>;
  readonly timings?: Pick<TurnTimings, 'tokensPerSecond'>;
}

/** Logs the statistics of a generation. The text log joins them with the line of the request. */
export function logGeneration(
  operation: Operation,
  { selection, usage, timings }: LoggedGeneration,
  { logger }: RequestContext,
): void {
  const { promptTokens, completionTokens, drafts } = usage;
  const tokensPerSecond =
    timings === undefined ? undefined : Math.round(timings.tokensPerSecond * 10) / 10;
  logger.info(
    {
      operation,
      model: selection.model.key,
      promptTokens,
      ...omitUndefined({
        completionTokens,
        tokensPerSecond,
        draftTokens: drafts?.proposedTokens,
        acceptedDraftTokens: drafts?.acceptedTokens,
      }),
    },
    'generated',
  );
}
