import {
  runCompletion,
  type CompletionEvent,
  type CompletionRequest,
  type CompletionResult,
} from '../../../chat/run-completion.ts';
import { HearthError } from '../../../contract/errors.ts';
import {
  createCompletionOpenAi,
  type OpenAiCompletion,
  type OpenAiCompletionRequest,
} from '../../../contract/openai/text-completion.ts';
import type { TurnUsage } from '../../../conversation/conversation-turn.ts';
import type { Prompt } from '../../../engine/engine.ts';
import { omitUndefined } from '../../../omit-undefined.ts';
import { mount, type App } from '../../mount.ts';
import { readAhead, runChoices, type ChoiceEvent } from '../../openai/choices.ts';
import { completionHead } from '../../openai/completion-head.ts';
import { toCompletionLogprobs } from '../../openai/logprobs.ts';
import { toPrompts } from '../../openai/prompts.ts';
import { toGenerationOptions } from '../../openai/to-generation-options.ts';
import { eventStream } from '../../sse.ts';
import type { SurfaceServices } from '../services.ts';
import { toMessages } from './chat-completions.ts';
import { toFinishReason } from './finish-reason.ts';
import { withSeedOf } from './to-turn-request.ts';
import { toUsage } from './usage.ts';

type Choice = OpenAiCompletion['choices'][number];
type Events = AsyncIterable<ChoiceEvent<CompletionEvent>>;

/** Choices of all prompts of a request together. */
const maxChoices = 128;
/** OpenAI's own. */
const defaultMaxTokens = 16;

/** What the texts of a request's choices begin with, by index: the prompts, or nothing. */
type EchoOf = (index: number) => string;

export function mountCompletions(app: App, services: SurfaceServices): void {
  mount(app, createCompletionOpenAi, async ({ body, context }) => {
    const prompts = toPrompts(body.prompt);
    const perPrompt = body.n ?? 1;
    assertHonoured(body, prompts, perPrompt);
    const { selection } = await services.pool.resolve(body.model ?? undefined, 'generation');
    const requests = prompts.map((prompt) => toCompletionRequest(body, prompt));
    const count = prompts.length * perPrompt;
    const start = (index: number, ownContext: typeof context) => {
      const request = requests[Math.floor(index / perPrompt)];
      if (request === undefined) throw new Error(`No prompt for choice ${index}`);
      return runCompletion(services, withSeedOf(request, index % perPrompt), ownContext);
    };
    const events = runChoices(count, start, context);
    const echoOf: EchoOf = (index) =>
      body.echo === true ? String(prompts[Math.floor(index / perPrompt)]) : '';
    const head = {
      ...completionHead('cmpl', 'text_completion'),
      model: body.model || selection.model.key,
    };
    if (body.stream !== true) {
      const results = await collect(events, count);
      return {
        ...head,
        choices: results.map((result, index) => toChoice(result, index, echoOf(index))),
        usage: toUsage(
          results.map(({ usage }) => usage),
          perPrompt,
        ),
      };
    }
    const ready = await readAhead(events, ({ event }) =>
      ['text.delta', 'completion.end'].includes(event.type),
    );
    const includesUsage = body.stream_options?.include_usage === true;
    const chunks = toChunks(ready, { head, echoOf, perPrompt, includesUsage });
    return eventStream(toMessages(chunks, context), context);
  });
}

/** @throws HearthError `invalid_value` for what would change the answer and can't be done. */
function assertHonoured(
  body: OpenAiCompletionRequest,
  prompts: readonly Prompt[],
  perPrompt: number,
): void {
  const refuse = (param: string, message: string): never => {
    throw new HearthError('invalid_value', message, { param });
  };
  if (prompts.length * perPrompt > maxChoices) {
    refuse('n', `The prompts times \`n\` are more than ${maxChoices} choices.`);
  }
  if ((body.best_of ?? perPrompt) > perPrompt) {
    refuse('best_of', '`best_of` above `n` is not supported. Leave it out.');
  }
  if (body.echo !== true) return;
  if (prompts.some((prompt) => typeof prompt !== 'string')) {
    refuse('echo', '`echo` needs prompts that are texts, not tokens.');
  }
  if (body.logprobs != null) {
    refuse('logprobs', '`logprobs` of the prompt are not available; leave them or `echo` out.');
  }
}

function toCompletionRequest(body: OpenAiCompletionRequest, prompt: Prompt): CompletionRequest {
  return {
    ...toGenerationOptions({ ...body, max_tokens: body.max_tokens ?? defaultMaxTokens }),
    prompt,
    ...omitUndefined({ suffix: body.suffix, topLogprobs: body.logprobs }),
  };
}

async function collect(events: Events, count: number): Promise<readonly CompletionResult[]> {
  const results: CompletionResult[] = [];
  for await (const { index, event } of events) {
    if (event.type === 'completion.end') results[index] = event.result;
  }
  if (Object.keys(results).length < count) {
    throw new Error('A completion ended without completion.end');
  }
  return results;
}

function toChoice(result: CompletionResult, index: number, echo: string): Choice {
  return {
    index,
    text: echo + result.text,
    logprobs: toCompletionLogprobs(result.logprobs, echo.length),
    finish_reason: toReason(result),
  };
}

function toReason(result: CompletionResult): 'stop' | 'length' {
  return toFinishReason(result) === 'length' ? 'length' : 'stop';
}

interface ChunkOptions {
  readonly head: Pick<OpenAiCompletion, 'id' | 'object' | 'created' | 'model'>;
  readonly echoOf: EchoOf;
  readonly perPrompt: number;
  readonly includesUsage: boolean;
}

async function* toChunks(
  events: Events,
  { head, echoOf, perPrompt, includesUsage }: ChunkOptions,
): AsyncGenerator<OpenAiCompletion> {
  const offsets: number[] = [];
  const usages: TurnUsage[] = [];
  const noUsage = includesUsage ? { usage: null } : {};
  const chunk = (choice: Choice): OpenAiCompletion => ({ ...head, choices: [choice], ...noUsage });
  for await (const { index, event } of events) {
    if (event.type === 'completion.start') {
      const echo = echoOf(index);
      offsets[index] = echo.length;
      if (echo !== '') yield chunk({ index, text: echo, logprobs: null, finish_reason: null });
    } else if (event.type === 'text.delta') {
      const { text } = event;
      const offset = offsets[index] ?? 0;
      offsets[index] = offset + text.length;
      const logprobs = toCompletionLogprobs(event.logprobs, offset);
      yield chunk({ index, text, logprobs, finish_reason: null });
    } else if (event.type === 'completion.end') {
      usages[index] = event.result.usage;
      const reason = toReason(event.result);
      yield chunk({ index, text: '', logprobs: null, finish_reason: reason });
    }
  }
  if (includesUsage) yield { ...head, choices: [], usage: toUsage(usages, perPrompt) };
}
