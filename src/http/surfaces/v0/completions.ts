import {
  runCompletion,
  type CompletionEvent,
  type CompletionRequest,
  type CompletionResult,
} from '../../../chat/run-completion.ts';
import {
  createCompletionV0,
  type V0CompletionChunk,
  type V0CompletionRequest,
  type V0CompletionResult,
} from '../../../contract/v0/text-completion.ts';
import { omitUndefined } from '../../../omit-undefined.ts';
import { mount, type App } from '../../mount.ts';
import { eventStream } from '../../sse.ts';
import type { SurfaceServices } from '../services.ts';
import { openChunkStream, type ChunkFormat } from './chunk-stream.ts';
import { completionHead } from '../../openai/completion-head.ts';
import { toCompletionLogprobs } from '../../openai/logprobs.ts';
import { toGenerationOptions } from '../../openai/to-generation-options.ts';
import { toFinishReason, toReport } from './to-report.ts';

type Choice = V0CompletionChunk['choices'][number];

export function mountCompletions(app: App, services: SurfaceServices): void {
  mount(app, createCompletionV0, async ({ body, context }) => {
    const events = runCompletion(services, toCompletionRequest(body), context);
    const echo = body.echo === true ? body.prompt : '';
    if (body.stream !== true) return collect(events, echo);
    const includesUsage = body.stream_options?.include_usage === true;
    const format = createCompletionChunks(echo);
    const chunks = await openChunkStream(events, format, { includesUsage, context });
    return eventStream(chunks, context);
  });
}

function toCompletionRequest(body: V0CompletionRequest): CompletionRequest {
  return {
    ...toGenerationOptions(body),
    prompt: body.prompt,
    ...omitUndefined({ suffix: body.suffix, topLogprobs: body.logprobs }),
  };
}

async function collect(
  events: AsyncIterable<CompletionEvent>,
  echo: string,
): Promise<V0CompletionResult> {
  for await (const event of events) {
    if (event.type === 'completion.end') return toV0CompletionResult(event.result, echo);
  }
  throw new Error('The completion ended without completion.end');
}

/** @param echo The prompt where the text of the result begins with it, else an empty text. */
function toV0CompletionResult(result: CompletionResult, echo: string): V0CompletionResult {
  return {
    ...completionHead('cmpl', 'text_completion'),
    model: result.selection.model.key,
    choices: [
      {
        index: 0,
        text: echo + result.text,
        logprobs: toCompletionLogprobs(result.logprobs, echo.length),
        finish_reason: toFinishReason(result),
      },
    ],
    ...toReport(result),
  };
}

/** The chunks of one text completion; the first one is the echo, if any. */
function createCompletionChunks(echo: string): ChunkFormat<CompletionEvent, Choice> {
  let textOffset = echo.length;
  return {
    idPrefix: 'cmpl',
    object: 'text_completion',
    toChoice: (event) => {
      if (event.type === 'prompt.start') return echo === '' ? undefined : toChoice(echo, null);
      if (event.type !== 'text.delta') return undefined;
      const logprobs = toCompletionLogprobs(event.logprobs, textOffset);
      textOffset += event.text.length;
      return toChoice(event.text, logprobs);
    },
    toLastChoice: (finishReason) => toChoice('', null, finishReason),
  };
}

function toChoice(
  text: string,
  logprobs: Choice['logprobs'],
  finishReason: Choice['finish_reason'] = null,
): Choice {
  return { index: 0, text, logprobs, finish_reason: finishReason };
}
