import type { ModelSelection } from '../library/model.ts';
import { omitUndefined } from '../kernel/omit-undefined.ts';
import type { Operation } from '../telemetry/generation-record.ts';
import type { RequestContext } from '../telemetry/request-context.ts';

interface Generation {
  readonly selection: ModelSelection;
  readonly usage: {
    readonly promptTokens: number;
    readonly completionTokens?: number;
    readonly drafts?: { readonly proposedTokens: number; readonly acceptedTokens: number };
  };
  readonly timings?: { readonly tokensPerSecond: number };
}

/** Logs what a request generated. The text log joins it with the line of the request. */
export function logGeneration(
  operation: Operation,
  { selection, usage, timings }: Generation,
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
