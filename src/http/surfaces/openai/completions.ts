import type { CompletionEvent } from '../../../chat/run-completion.ts';
import { HearthError } from '../../../contract/errors.ts';
import {
  createCompletionOpenAi,
  type OpenAiCompletion,
  type OpenAiCompletionRequest,
} from '../../../contract/openai/text-completion.ts';
import type { TurnUsage } from '../../../conversation/conversation-turn.ts';
import { mount, type App } from '../../mount.ts';
import { readAhead, type ChoiceEvent } from '../../openai/choices.ts';
import {
  collectCompletions,
  createCompletionDeltas,
  toCompletionChoice,
  toCompletionChoices,
  type CompletionChoices,
} from '../../openai/completion-choices.ts';
import { completionHead } from '../../openai/completion-head.ts';
import { eventStream } from '../../sse.ts';
import type { SurfaceServices } from '../services.ts';
import { toMessages } from './chat-completions.ts';
import { toUsage } from './usage.ts';

/** Choices of all prompts of a request together. */
const maxChoices = 128;
/** OpenAI's own. */
const defaultMaxTokens = 16;

export function mountCompletions(app: App, services: SurfaceServices): void {
  mount(app, createCompletionOpenAi, async ({ body, context }) => {
    const limited = { ...body, max_tokens: body.max_tokens ?? defaultMaxTokens };
    const choices = toCompletionChoices(services, limited, body.n ?? 1);
    assertHonoured(body, choices);
    const target = await services.pool.resolve(body.model ?? undefined, 'generation');
    const events = choices.start(context, target);
    const head = {
      ...completionHead('cmpl', 'text_completion'),
      model: body.model || target.selection.model.key,
    };
    if (body.stream !== true) {
      const results = await collectCompletions(events, choices.count);
      const usages = results.map(({ usage }) => usage);
      return {
        ...head,
        choices: results.map((result, index) =>
          toCompletionChoice(result, index, choices.echoOf(index)),
        ),
        usage: toUsage(usages, choices.perPrompt),
      };
    }
    const ready = await readAhead(events, ({ event }) =>
      ['text.delta', 'completion.end'].includes(event.type),
    );
    const includesUsage = body.stream_options?.include_usage === true;
    return eventStream(toMessages(toChunks(ready, head, choices, includesUsage), context), context);
  });
}

/** @throws HearthError `invalid_value` for what would change the answer and can't be done. */
function assertHonoured(
  body: OpenAiCompletionRequest,
  { prompts, perPrompt, count }: CompletionChoices,
): void {
  const refuse = (param: string, message: string): never => {
    throw new HearthError('invalid_value', message, { param });
  };
  if (count > maxChoices) {
    refuse('n', `The number of prompts times \`n\` must be at most ${maxChoices}.`);
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

async function* toChunks(
  events: AsyncIterable<ChoiceEvent<CompletionEvent>>,
  head: Pick<OpenAiCompletion, 'id' | 'object' | 'created' | 'model'>,
  { echoOf, perPrompt }: CompletionChoices,
  includesUsage: boolean,
): AsyncGenerator<OpenAiCompletion> {
  const usages: TurnUsage[] = [];
  const toDelta = createCompletionDeltas(echoOf);
  const noUsage = includesUsage ? { usage: null } : {};
  for await (const choiceEvent of events) {
    const { index, event } = choiceEvent;
    if (event.type === 'completion.end') usages[index] = event.result.usage;
    const choice = toDelta(choiceEvent);
    if (choice !== undefined) yield { ...head, choices: [choice], ...noUsage };
  }
  if (includesUsage) yield { ...head, choices: [], usage: toUsage(usages, perPrompt) };
}
