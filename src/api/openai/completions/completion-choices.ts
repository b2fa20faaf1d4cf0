import type { Prompt } from '../../../engines/engine.ts';
import {
  type CompletionEvent,
  type CompletionRequest,
  type CompletionResult,
  runCompletion,
} from '../../../chat/run-completion.ts';
import type { V0CompletionRequest } from '../v0/text-completion-schema.ts';
import type { ModelTarget } from '../../../engines/loads/open-request.ts';
import { omitUndefined } from '../../../kernel/omit-undefined.ts';
import type { RequestContext } from '../../../kernel/request/request-context.ts';
import type { Preset } from '../../v1/presets/preset-schema.ts';
import { withPresetSampling } from '../../v1/presets/use-preset.ts';
import { runChoices, withSeedOf, type ChoiceEvent } from '../chat/choices.ts';
import { toFinishReason, toCompletionLogprobs } from '../chat/choice-fields.ts';
import { chatFormatFields } from '../chat/response-format.ts';
import { toGenerationOptions } from '../chat/to-generation-options.ts';
import { assertSupported } from '../chat/unsupported-fields.ts';

/** A text, its tokens, or a list with several of these. */
export type PromptField = string | readonly number[] | readonly (string | number[])[];

/** Converts a field with one or several prompts to a list of texts and token lists. */
export function toPrompts(field: PromptField): readonly Prompt[] {
  if (typeof field === 'string') return [field];
  const isTokens = typeof field[0] === 'number';
  return isTokens ? [field as readonly number[]] : (field as readonly Prompt[]);
}

type CompletionBody = Parameters<typeof toGenerationOptions>[0] &
  Pick<V0CompletionRequest, 'prompt' | 'echo' | 'suffix' | 'logprobs'>;

/** The choices of a request: `perPrompt` choices for each prompt, ordered by prompt. */
export interface CompletionChoices {
  readonly prompts: readonly Prompt[];
  readonly perPrompt: number;
  readonly count: number;
  /** First part of a choice's text: its prompt if the request echoes it, otherwise empty. */
  readonly echoOf: (index: number) => string;
  /** @param target The model of the request, if it was already looked up. */
  readonly start: (
    context: RequestContext,
    target?: ModelTarget,
  ) => AsyncGenerator<ChoiceEvent<CompletionEvent>>;
}

export function toCompletionChoices(
  services: Parameters<typeof runCompletion>[0],
  body: CompletionBody,
  perPrompt: number,
  preset?: Preset,
): CompletionChoices {
  assertSupported(body, chatFormatFields);
  const prompts = toPrompts(body.prompt);
  const requests = prompts.map((prompt) =>
    withPresetSampling(toCompletionRequest(body, prompt), preset),
  );
  const count = prompts.length * perPrompt;
  const promptOf = (index: number): number => Math.floor(index / perPrompt);
  const run = (index: number, context: RequestContext, target?: ModelTarget) => {
    const request = requests[promptOf(index)];
    if (request === undefined) throw new Error(`No prompt for choice ${index}`);
    const seeded = withSeedOf(request, index % perPrompt, target);
    return runCompletion(services, { ...seeded, ...omitUndefined({ target }) }, context);
  };
  return {
    prompts,
    perPrompt,
    count,
    echoOf: (index) => (body.echo === true ? String(prompts[promptOf(index)]) : ''),
    start: (context, target) => runChoices(count, (index, own) => run(index, own, target), context),
  };
}

function toCompletionRequest(body: CompletionBody, prompt: Prompt): CompletionRequest {
  return {
    ...toGenerationOptions(body),
    prompt,
    ...omitUndefined({ suffix: body.suffix, topLogprobs: body.logprobs }),
  };
}

/** @param echo First part of the text. */
export function toCompletionChoice(result: CompletionResult, index: number, echo: string) {
  return {
    index,
    text: echo + result.text,
    logprobs: toCompletionLogprobs(result.logprobs, echo.length),
    finish_reason: toCompletionReason(result),
  };
}

/** Returns a function that converts stream events to the choices of chunks: echo, deltas, finish reason. */
export function createCompletionDeltas(echoOf: CompletionChoices['echoOf']) {
  const offsets: number[] = [];
  const toChoice = (index: number, text: string) => ({
    index,
    text,
    logprobs: null,
    finish_reason: null,
  });
  return ({ index, event }: ChoiceEvent<CompletionEvent>) => {
    switch (event.type) {
      case 'completion.start': {
        const echo = echoOf(index);
        offsets[index] = echo.length;
        return echo === '' ? undefined : toChoice(index, echo);
      }
      case 'text.delta': {
        const offset = offsets[index] ?? 0;
        offsets[index] = offset + event.text.length;
        const logprobs = toCompletionLogprobs(event.logprobs, offset);
        return { ...toChoice(index, event.text), logprobs };
      }
      case 'completion.end':
        return { ...toChoice(index, ''), finish_reason: toCompletionReason(event.result) };
      default:
        return undefined;
    }
  };
}

function toCompletionReason(result: CompletionResult): 'stop' | 'length' {
  return toFinishReason(result) === 'length' ? 'length' : 'stop';
}
