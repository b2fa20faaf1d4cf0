import { omitUndefined } from '../../../omit-undefined.ts';
import { HearthError } from '../../../contract/errors.ts';
import {
  createCompletionV0,
  type V0CompletionChunk,
  type V0CompletionRequest,
  type V0CompletionResult,
} from '../../../contract/v0/text-completion.ts';
import {
  generate,
  type GenerationCall,
  type GenerationStart,
  type GenerationStep,
} from '../../../chat/generation.ts';
import { newCompletionId } from '../../../chat/ids.ts';
import type { TokenLogprob } from '../../../engine/engine.ts';
import { mount, type App } from '../../mount.ts';
import { toRequestContext } from '../../request-context.ts';
import { eventStream, type SseMessage } from '../../sse.ts';
import type { SurfaceServices } from '../services.ts';
import { toGenerationCall } from './generation-call.ts';
import { toCompletionLogprobs } from './logprobs.ts';
import { openStream } from './open-stream.ts';
import { toFinishReason, toV0Report } from './report.ts';
import { done, toErrorMessage, type StreamOptions } from './stream-end.ts';

export function mountCompletions(app: App, services: SurfaceServices): void {
  mount(app, createCompletionV0, async (request) => {
    const { body, signal } = request;
    const call = await toCompletionCall(body, services);
    const steps = generate(services.pool, call, toRequestContext(request, services.logger));
    const echo = body.echo === true ? body.prompt : '';
    if (body.stream !== true) return collectCompletion(steps, echo);
    const includesUsage = body.stream_options?.include_usage === true;
    const options = { signal, logger: services.logger, includesUsage };
    return eventStream(completionChunks(await openStream(steps), echo, options), options);
  });
}

async function toCompletionCall(
  body: V0CompletionRequest,
  { pool }: SurfaceServices,
): Promise<GenerationCall> {
  const target = await pool.resolve(body.model ?? undefined, 'generation');
  const { model } = target.selection;
  if (body.suffix != null && !model.supportsInfill) {
    throw new HearthError(
      'infill_unsupported',
      `${model.key} was not trained to fill in the middle; leave "suffix" out.`,
      { param: 'suffix' },
    );
  }
  return toGenerationCall(body, target, {
    kind: 'completion',
    prompt: body.prompt,
    ...omitUndefined({ suffix: body.suffix, topLogprobs: body.logprobs }),
  });
}

/** Gathers a whole text completion. */
async function collectCompletion(
  steps: AsyncIterable<GenerationStep>,
  echo: string,
): Promise<V0CompletionResult> {
  let text = echo;
  const logprobs: TokenLogprob[] = [];
  let start: GenerationStart | undefined;
  for await (const step of steps) {
    if (step.type === 'generation.start') {
      start = step;
    } else if (step.type === 'content.delta') {
      text += step.text;
      if (step.logprobs !== undefined) logprobs.push(...step.logprobs);
    } else if (step.type === 'generation.report' && start !== undefined) {
      return {
        id: newCompletionId('cmpl'),
        object: 'text_completion',
        created: Math.floor(Date.now() / 1000),
        model: start.selection.model.key,
        choices: [
          {
            index: 0,
            text,
            logprobs: toCompletionLogprobs(logprobs, echo.length),
            finish_reason: toFinishReason(step.report),
          },
        ],
        ...toV0Report(start, step.report),
      };
    }
  }
  throw new Error('The generation ended without a report');
}

/** Chunks of a text completion: the echo, deltas, the finish reason with the report, `[DONE]`. */
async function* completionChunks(
  steps: AsyncIterable<GenerationStep>,
  echo: string,
  options: StreamOptions,
): AsyncGenerator<SseMessage> {
  const id = newCompletionId('cmpl');
  const created = Math.floor(Date.now() / 1000);
  let start: GenerationStart | undefined;
  let textOffset = echo.length;
  const chunk = (
    choices: V0CompletionChunk['choices'],
    more: Partial<V0CompletionChunk> = {},
  ): SseMessage => {
    const model = start?.selection.model.key ?? '';
    const body: V0CompletionChunk = {
      id,
      object: 'text_completion',
      created,
      model,
      choices,
      ...more,
    };
    return { data: JSON.stringify(body) };
  };
  try {
    for await (const step of steps) {
      if (step.type === 'generation.start') {
        start = step;
        if (echo !== '') {
          yield chunk([{ index: 0, text: echo, logprobs: null, finish_reason: null }]);
        }
      } else if (step.type === 'content.delta') {
        const logprobs = toCompletionLogprobs(step.logprobs, textOffset);
        textOffset += step.text.length;
        yield chunk([{ index: 0, text: step.text, logprobs, finish_reason: null }]);
      } else if (step.type === 'generation.report' && start !== undefined) {
        const finish_reason = toFinishReason(step.report);
        const report = toV0Report(start, step.report);
        yield chunk([{ index: 0, text: '', logprobs: null, finish_reason }], report);
        if (options.includesUsage) yield chunk([], { usage: report.usage });
      }
    }
  } catch (error) {
    yield toErrorMessage(error, options);
  }
  yield done;
}
