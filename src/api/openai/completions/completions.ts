import type { CompletionEvent } from '../../../chat/run-completion.ts';
import { invalidValue } from '../../../kernel/errors/errors.ts';
import {
  createCompletionOpenAi,
  type OpenAiCompletion,
  type OpenAiCompletionRequest,
} from './text-completion-schema.ts';
import { omitUndefined } from '../../../kernel/omit-undefined.ts';
import type { TurnUsage } from '../../../store/turns/conversation-turn.ts';
import { mount, type App } from '../../kit/mount.ts';
import type { ChoiceEvent } from '../chat/choices.ts';
import {
  createCompletionDeltas,
  toCompletionChoice,
  toCompletionChoices,
  type CompletionChoices,
} from './completion-choices.ts';
import { completionHead } from '../chat/choice-fields.ts';
import { eventStream } from '../../kit/stream/sse.ts';
import { collect } from '../../kit/stream/collect.ts';
import { openStream } from '../../kit/stream/open-stream.ts';
import type { ApiServices } from '../../services.ts';
import { toStreamFormat } from '../chat/chat-completions.ts';
import { findPreset } from '../../v1/presets/use-preset.ts';
import { toUsage } from '../chat/usage.ts';

/** Maximum number of choices of a request, over all prompts. */
const maxChoices = 128;
/** OpenAI's default. */
const defaultMaxTokens = 16;

export function mountCompletions(app: App, services: ApiServices): void {
  mount(app, createCompletionOpenAi, async ({ body, context }) => {
    const preset = await findPreset(services.store, body.preset, context);
    const named = body.model || preset?.model;
    const target = await services.pool.resolve(named ?? undefined, 'generation', context.caller);
    const limit = preset?.max_output_tokens ?? target.defaults?.maxOutputTokens;
    const limited = { ...body, max_tokens: body.max_tokens ?? limit ?? defaultMaxTokens };
    const choices = toCompletionChoices(services, limited, body.n ?? 1, preset);
    assertHonoured(body, choices);
    const events = choices.start(context, target);
    const head = {
      ...completionHead('cmpl', 'text_completion'),
      model: named || target.selection.model.key,
    };
    if (body.stream !== true) {
      const { results } = await collect(events, choices);
      const usages = results.map(({ usage }) => usage);
      return {
        ...head,
        choices: results.map((result, index) =>
          toCompletionChoice(result, index, choices.echoOf(index)),
        ),
        usage: toUsage(usages, choices.perPrompt),
        ...omitUndefined({ system_fingerprint: results[0]?.capabilities?.runtimeVersion }),
      };
    }
    const includesUsage = body.stream_options?.include_usage === true;
    const format = toStreamFormat(createChunks(head, choices, includesUsage));
    return eventStream(await openStream(events, format, context), context);
  });
}

/** @throws HearthError `invalid_value` for unsupported fields that would change the answer. */
function assertHonoured(
  body: OpenAiCompletionRequest,
  { prompts, perPrompt, count }: CompletionChoices,
): void {
  if (count > maxChoices) {
    throw invalidValue('n', `The number of prompts times \`n\` must be at most ${maxChoices}.`);
  }
  if ((body.best_of ?? perPrompt) > perPrompt) {
    throw invalidValue('best_of', '`best_of` above `n` is not supported. Leave it out.');
  }
  if (body.echo !== true) return;
  if (prompts.some((prompt) => typeof prompt !== 'string')) {
    throw invalidValue('echo', '`echo` needs prompts that are texts, not tokens.');
  }
  if (body.logprobs != null) {
    throw invalidValue(
      'logprobs',
      '`logprobs` of the prompt are not available; leave them or `echo` out.',
    );
  }
}

function createChunks(
  head: Pick<OpenAiCompletion, 'id' | 'object' | 'created' | 'model'>,
  { echoOf, perPrompt, count }: CompletionChoices,
  includesUsage: boolean,
): (choiceEvent: ChoiceEvent<CompletionEvent>) => readonly OpenAiCompletion[] {
  const usages: TurnUsage[] = [];
  const toDelta = createCompletionDeltas(echoOf);
  const noUsage = includesUsage ? { usage: null } : {};
  return (choiceEvent) => {
    const { index, event } = choiceEvent;
    const choice = toDelta(choiceEvent);
    const chunks = choice === undefined ? [] : [{ ...head, choices: [choice], ...noUsage }];
    if (event.type !== 'completion.end') return chunks;
    usages[index] = event.result.usage;
    if (!includesUsage || Object.keys(usages).length < count) return chunks;
    return [...chunks, { ...head, choices: [], usage: toUsage(usages, perPrompt) }];
  };
}
