import { runTurn } from '../../../chat/run-turn.ts';
import { newResponseId } from '../../../chat/store-turn.ts';
import type { TurnEvent, TurnResult } from '../../../chat/turn-event.ts';
import { createChatCompletionOpenAi } from '../../../contract/openai/chat-completion.ts';
import type { HearthError } from '../../../contract/errors.ts';
import type { RequestContext } from '../../../request/request-context.ts';
import { unstoredResult } from '../../errors/unstored-result.ts';
import { mount, type App } from '../../mount.ts';
import { readAhead, runChoices, type ChoiceEvent } from '../../openai/choices.ts';
import { completionHead } from '../../openai/completion-head.ts';
import { toReasoning } from '../../openai/reasoning.ts';
import { withSeedOf } from '../../openai/with-seed-of.ts';
import { eventStream, type SseMessage } from '../../sse.ts';
import type { SurfaceServices } from '../services.ts';
import { toChatChunks } from './chat-chunks.ts';
import { openAiErrors } from './errors.ts';
import { toStreamError } from '../../openai/stream-error.ts';
import { toChatCompletion } from './to-chat-completion.ts';
import { toTurnRequest } from './to-turn-request.ts';

export function mountChatCompletions(app: App, services: SurfaceServices): void {
  mount(app, createChatCompletionOpenAi, async ({ body, context }) => {
    const target = await services.pool.resolve(body.model ?? undefined, 'generation');
    const { model } = target.selection;
    const reasoning = toReasoning(model, body);
    const responseId = newResponseId();
    const request = { ...toTurnRequest(body, reasoning), target, responseId };
    const count = body.n ?? 1;
    const events = runChoices(
      count,
      (index, ownContext) => runTurn(services, withSeedOf(request, index), ownContext),
      context,
    );
    const named = {
      model: body.model || model.key,
      ...(request.isStored ? { id: responseId.replace('resp_', 'chatcmpl-') } : {}),
    };
    if (body.stream !== true) {
      const head = { ...completionHead('chatcmpl', 'chat.completion'), ...named };
      const { results, storageFailure } = await collect(events, count);
      const completion = toChatCompletion(results, head);
      return storageFailure === undefined
        ? completion
        : unstoredResult(storageFailure, openAiErrors, completion);
    }
    const head = { ...completionHead('chatcmpl', 'chat.completion.chunk'), ...named };
    const includesUsage = body.stream_options?.include_usage === true;
    const ready = await readAhead(events, isOutput);
    return eventStream(toMessages(toChatChunks(ready, head, includesUsage), context), context);
  });
}

interface Collected {
  readonly results: readonly TurnResult[];
  /** The error if only storing failed. */
  readonly storageFailure: HearthError | undefined;
}

async function collect(
  events: AsyncIterable<ChoiceEvent<TurnEvent>>,
  count: number,
): Promise<Collected> {
  const results: TurnResult[] = [];
  let storageFailure: HearthError | undefined;
  for await (const { index, event } of events) {
    if (event.type === 'turn.error') {
      if (event.error.code !== 'storage_failed') throw event.error;
      storageFailure = event.error;
    }
    if (event.type === 'turn.end') results[index] = event.result;
  }
  if (Object.keys(results).length < count) throw new Error('A turn ended without turn.end');
  return { results, storageFailure };
}

function isOutput({ event }: ChoiceEvent<TurnEvent>): boolean {
  if (event.type === 'turn.error') throw event.error;
  return event.type.endsWith('.delta') || event.type === 'turn.end';
}

/** Chunks as server-sent events, with `[DONE]` at the end; a failure is a last event with the error's body. */
export async function* toMessages(
  chunks: AsyncIterable<object>,
  context: RequestContext,
): AsyncGenerator<SseMessage> {
  try {
    for await (const chunk of chunks) yield { data: JSON.stringify(chunk) };
  } catch (error) {
    const { body } = openAiErrors.serialize(toStreamError(error, context));
    yield { data: JSON.stringify(body) };
  }
  yield { data: '[DONE]' };
}
