import { HearthError } from '../contract/errors.ts';
import type { Prompt, TokenLogprob } from '../engines/engine.ts';
import type { InstancePool } from '../engines/loads/pool.ts';
import { omitUndefined } from '../omit-undefined.ts';
import type { RequestContext } from '../request/request-context.ts';
import type { ModelSelection } from '../models/model.ts';
import { assertTokens } from './assert-tokens.ts';
import type { AcquiredInstance } from './acquire-instance.ts';
import { generate, type GenerationReport } from './generation.ts';
import { logGeneration } from './log-generation.ts';
import { onInstance } from './on-instance.ts';
import { promptPrefix } from './prompt-prefix.ts';
import type { GenerationSummary, LoadEvent, PromptEvent } from './turn-event.ts';
import type { GenerationOptions, InstanceOptions } from './turn-request.ts';
import { TurnStats } from './turn-stats.ts';

/** A raw prompt to continue, without a chat template. */
export interface CompletionRequest extends GenerationOptions, InstanceOptions {
  readonly prompt: Prompt;
  /** Text after the gap to fill. */
  readonly suffix?: string;
}

/** `completion.start` comes first and `completion.end` last. */
export type CompletionEvent =
  | {
      readonly type: 'completion.start';
      readonly instanceId: string;
      readonly selection: ModelSelection;
    }
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
 * @throws HearthError `infill_unsupported`; the errors of `assertTokens`, the errors of `InstancePool.acquire` and `Engine.generate`; the signal's
 *   reason when aborted.
 */
export async function* runCompletion(
  { pool }: { readonly pool: InstancePool },
  request: CompletionRequest,
  context: RequestContext,
): AsyncGenerator<CompletionEvent> {
  const { prompt, suffix, contextLength, ttlSeconds, waitsForLoad } = request;
  const target = request.target ?? (await pool.resolve(request.model, 'generation'));
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
  let hasStarted = false;
  type Start = Extract<CompletionEvent, { readonly type: 'completion.start' }>;
  yield* onInstance<Start, CompletionEvent>(
    pool,
    {
      target,
      promptPrefix: promptPrefix({ kind: 'completion', prompt }),
      waitsForLoad,
      ...omitUndefined({ contextLength, ttlSeconds }),
    },
    context,
    {
      isWhole: request.isWhole ?? false,
      run: (instance) => complete(instance, request, context),
      toStart: (instanceId) => {
        const isRepeated = hasStarted;
        hasStarted = true;
        return isRepeated ? undefined : { type: 'completion.start', instanceId, selection };
      },
    },
  );
}

async function* complete(
  instance: AcquiredInstance,
  { prompt, suffix, sampling, stop, topLogprobs, maxOutputTokens }: CompletionRequest,
  requestContext: RequestContext,
): AsyncGenerator<CompletionEvent> {
  const { lease, startedAt } = instance;
  const optional = omitUndefined({ suffix, stop, topLogprobs, maxTokens: maxOutputTokens });
  const generation = { kind: 'completion', prompt, sampling, ...optional } as const;
  await lease.admitPrompt(generation);
  const steps = lease.streamWithSlot((engine, context) =>
    generate(engine, generation, context, startedAt),
  );
  let text = '';
  const logprobs: TokenLogprob[] = [];
  let isReadingPrompt = true;
  for await (const step of steps) {
    if (step.type === 'prompt.start' || step.type === 'prompt.progress') {
      yield step;
      continue;
    }
    if (isReadingPrompt) yield { type: 'prompt.end' };
    isReadingPrompt = false;
    if (step.type === 'content.delta') {
      text += step.text;
      logprobs.push(...(step.logprobs ?? []));
      yield { ...step, type: 'text.delta' };
    } else if (step.type === 'generation.report') {
      const result = toResult(instance, step.report, text, logprobs);
      logGeneration('completion', result, requestContext);
      yield { type: 'completion.end', result };
    }
  }
}

function toResult(
  { lease, loadTimeSeconds }: AcquiredInstance,
  report: GenerationReport,
  text: string,
  logprobs: readonly TokenLogprob[],
): CompletionResult {
  const { instanceId, selection, capabilities } = lease;
  const stats = new TurnStats();
  stats.noteLoad(loadTimeSeconds);
  stats.add(report);
  return {
    text,
    instanceId,
    selection,
    capabilities,
    stopReason: report.stopReason,
    isMalformed: report.isMalformed,
    usage: stats.usage(),
    timings: stats.timings(),
    ...(logprobs.length === 0 ? {} : { logprobs }),
  };
}
