import { HearthError } from '../kernel/errors/errors.ts';
import type { Prompt, TokenLogprob } from '../engines/engine.ts';
import type { Engines } from '../engines/engines.ts';
import type { ModelTarget } from '../engines/loads/open-request.ts';
import type { Session } from '../engines/session.ts';
import type { GenerationReport, LoadEvent, QueuedEvent } from '../engines/session-event.ts';
import { omitUndefined } from '../kernel/omit-undefined.ts';
import type { RequestContext } from '../kernel/request/request-context.ts';
import type { ModelSelection } from '../library/model.ts';
import { assertTokens } from './assert-tokens.ts';
import { logGeneration, sumReports } from './generation-stats.ts';
import { promptPrefix } from './prompt-messages.ts';
import type { GenerationSummary, PromptEvent } from './turn-event.ts';
import type { GenerationOptions, InstanceOptions } from './turn-request.ts';
import { streamWithFallbacks, withDefaults } from './request-target.ts';

/** A raw prompt to continue, without a chat template. */
export interface CompletionRequest extends GenerationOptions, InstanceOptions {
  readonly prompt: Prompt;
  /** Text that follows the generated text, for infill. */
  readonly suffix?: string;
}

/** `completion.start` comes first and `completion.end` last. */
export type CompletionEvent =
  | {
      readonly type: 'completion.start';
      readonly instanceId: string;
      readonly selection: ModelSelection;
    }
  | QueuedEvent
  | LoadEvent
  | PromptEvent
  | {
      readonly type: 'text.delta';
      readonly text: string;
      readonly logprobs?: readonly TokenLogprob[];
    }
  | { readonly type: 'completion.end'; readonly result: CompletionResult };

export interface CompletionResult extends GenerationSummary {
  readonly text: string;
}

/**
 * Continues a raw prompt.
 *
 * @throws HearthError `infill_unsupported`; the errors of `assertTokens`, the errors of `Engines.open` and `Session.generate`; the signal's
 *   reason when aborted.
 */
export async function* runCompletion(
  { pool }: { readonly pool: Engines },
  completion: CompletionRequest,
  context: RequestContext,
): AsyncGenerator<CompletionEvent> {
  const first =
    completion.target ?? (await pool.resolve(completion.model, 'generation', context.caller));
  yield* streamWithFallbacks(pool, first, context, (target) =>
    completeWith(pool, target, completion, context),
  );
}

async function* completeWith(
  pool: Engines,
  target: ModelTarget,
  completion: CompletionRequest,
  context: RequestContext,
): AsyncGenerator<CompletionEvent> {
  const { prompt, suffix, contextLength, ttlSeconds, waitsForLoad } = completion;
  const request = withDefaults(completion, target);
  const { selection } = target;
  if (suffix !== undefined && !selection.model.supportsInfill) {
    throw new HearthError(
      'infill_unsupported',
      (name) =>
        `${selection.model.key} was not trained to fill in the middle; leave "${name('suffix')}" out.`,
      { field: 'suffix' },
    );
  }
  assertTokens(selection.model, [prompt], 'prompt');
  const session = pool.open(
    {
      target,
      promptPrefix: promptPrefix({ kind: 'completion', prompt }),
      waitsForLoad,
      ...omitUndefined({ contextLength, ttlSeconds, isWhole: request.isWhole }),
    },
    context,
  );
  try {
    yield { type: 'completion.start', instanceId: session.lease.instance.id, selection };
    yield* session.ready();
    yield* complete(session, request, context);
  } finally {
    session.close();
  }
}

async function* complete(
  session: Session,
  { prompt, suffix, sampling, stop, topLogprobs, maxOutputTokens }: CompletionRequest,
  context: RequestContext,
): AsyncGenerator<CompletionEvent> {
  const optional = omitUndefined({ suffix, stop, topLogprobs, maxTokens: maxOutputTokens });
  const generation = { kind: 'completion', prompt, sampling, ...optional } as const;
  let text = '';
  const logprobs: TokenLogprob[] = [];
  let isReadingPrompt = true;
  for await (const event of session.generate(generation)) {
    switch (event.type) {
      case 'content.delta':
      case 'generation.report':
        if (isReadingPrompt) yield { type: 'prompt.end' };
        isReadingPrompt = false;
        break;
      case 'reasoning.delta':
      case 'toolCall.delta':
      case 'generation.cut':
        continue;
      default:
        yield event;
        continue;
    }
    if (event.type === 'content.delta') {
      const { tokens: _, ...delta } = event;
      text += delta.text;
      logprobs.push(...(delta.logprobs ?? []));
      yield { ...delta, type: 'text.delta' };
    } else {
      const result = toResult(session, event.report, text, logprobs);
      logGeneration('completion', result, context);
      yield { type: 'completion.end', result };
    }
  }
}

function toResult(
  { lease: { instance, loaded }, loadTimeSeconds }: Session,
  report: GenerationReport,
  text: string,
  logprobs: readonly TokenLogprob[],
): CompletionResult {
  return {
    text,
    instanceId: instance.id,
    selection: instance.selection,
    capabilities: loaded.capabilities,
    stopReason: report.stopReason,
    isMalformed: report.isMalformed,
    ...sumReports([report], loadTimeSeconds),
    ...(logprobs.length === 0 ? {} : { logprobs }),
  };
}
