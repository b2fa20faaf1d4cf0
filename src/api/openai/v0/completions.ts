import { invalidValue } from '../../../kernel/errors/errors.ts';
import { createCompletionV0, type V0CompletionRequest } from './text-completion-schema.ts';
import { mount, type App } from '../../kit/mount.ts';
import {
  createCompletionDeltas,
  toCompletionChoice,
  toCompletionChoices,
} from '../completions/completion-choices.ts';
import { completionHead } from '../chat/choice-fields.ts';
import { eventStream } from '../../kit/stream/sse.ts';
import { collect } from '../../kit/stream/collect.ts';
import { openStream } from '../../kit/stream/open-stream.ts';
import type { ApiServices } from '../../services.ts';
import { toStreamFormat, toReport } from './report.ts';

export function mountCompletions(app: App, services: ApiServices): void {
  mount(app, createCompletionV0, async ({ body, context }) => {
    const choices = toCompletionChoices(services, body, 1);
    assertEcho(body, choices.prompts);
    const events = choices.start(context);
    if (body.stream === true) {
      const { count, echoOf } = choices;
      const format = {
        idPrefix: 'cmpl',
        object: 'text_completion',
        toChoice: createCompletionDeltas(echoOf),
      } as const;
      const stream = await openStream(events, toStreamFormat(format, count), context);
      return eventStream(stream, context);
    }
    const { results } = await collect(events, choices);
    return {
      ...completionHead('cmpl', 'text_completion'),
      model: results[0].selection.model.key,
      choices: results.map((result, index) =>
        toCompletionChoice(result, index, choices.echoOf(index)),
      ),
      ...toReport(results),
    };
  });
}

/** @throws HearthError `invalid_value` if a prompt of tokens would have to be echoed as text. */
function assertEcho({ echo }: V0CompletionRequest, prompts: readonly unknown[]): void {
  if (echo !== true || prompts.every((prompt) => typeof prompt === 'string')) return;
  throw invalidValue('echo', '`echo` needs prompts that are texts, not tokens.');
}
