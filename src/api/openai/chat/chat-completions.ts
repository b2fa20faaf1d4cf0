import { runTurn } from '../../../chat/run-turn.ts';
import { newResponseId } from '../../../chat/store-turn.ts';
import { omitUndefined } from '../../../kernel/omit-undefined.ts';
import { createChatCompletionOpenAi } from './chat-completion-schema.ts';
import { unstoredResult } from '../../kit/errors/error-response.ts';
import { mount, type App } from '../../kit/mount.ts';
import { runChoices, withSeedOf, type ChoiceEvent } from './choices.ts';
import { completionHead } from './choice-fields.ts';
import { toReasoning } from './reasoning.ts';
import { eventStream, type SseMessage } from '../../kit/stream/sse.ts';
import { collect } from '../../kit/stream/collect.ts';
import { openStream, type StreamFormat } from '../../kit/stream/open-stream.ts';
import type { ApiServices } from '../../services.ts';
import { findPreset, withPreset } from '../../v1/presets/use-preset.ts';
import { createChatChunks, toChatCompletion } from './to-chat-completion.ts';
import { openAiErrors } from '../errors.ts';
import { withServiceTier } from '../service-tier.ts';
import { withFileTexts } from './read-files.ts';
import { toTurnRequest } from './to-turn-request.ts';

export function mountChatCompletions(app: App, services: ApiServices): void {
  mount(app, createChatCompletionOpenAi, async ({ body, context: ownContext }) => {
    const { context, served } = withServiceTier(ownContext, body.service_tier);
    const preset = await findPreset(services.store, body.preset, context);
    const named = body.model || preset?.model;
    const target = await services.pool.resolve(named ?? undefined, 'generation', context.caller);
    const { model } = target.selection;
    const reasoning = toReasoning(model, body);
    const responseId = newResponseId();
    const read = await withFileTexts(services, body, context);
    const limited = { ...read, max_tokens: body.max_tokens ?? preset?.max_output_tokens };
    const turn = withPreset(toTurnRequest(limited, reasoning), preset);
    const serviceTier = served.service_tier;
    const request = { ...turn, target, responseId, ...omitUndefined({ serviceTier }) };
    const count = body.n ?? 1;
    const events = runChoices(
      count,
      (index, choiceContext) =>
        runTurn(services, withSeedOf(request, index, target), choiceContext),
      context,
    );
    const shown = {
      model: named || model.key,
      ...served,
      ...(request.isStored ? { id: responseId.replace('resp_', 'chatcmpl-') } : {}),
    };
    if (body.stream !== true) {
      const head = { ...completionHead('chatcmpl', 'chat.completion'), ...shown };
      const { results, storageFailure } = await collect(events, { count });
      const completion = toChatCompletion(results, head);
      return storageFailure === undefined
        ? completion
        : unstoredResult(storageFailure, openAiErrors, completion);
    }
    const head = { ...completionHead('chatcmpl', 'chat.completion.chunk'), ...shown };
    const includesUsage = body.stream_options?.include_usage === true;
    const format = toStreamFormat(createChatChunks({ head, count, includesUsage }));
    return eventStream(await openStream(events, format, context), context);
  });
}

/** Chunks as server-sent events, with `[DONE]` at the end. An error is a message with the error body. */
export function toStreamFormat<Event>(
  toChunks: (choiceEvent: ChoiceEvent<Event>) => readonly object[],
): StreamFormat<ChoiceEvent<Event>, SseMessage> {
  const toMessage = (value: object): SseMessage => ({ data: JSON.stringify(value) });
  return {
    write: (choiceEvent) => toChunks(choiceEvent).map(toMessage),
    fail: (error) => [toMessage(openAiErrors.serialize(error).body)],
    end: () => [{ data: '[DONE]' }],
  };
}
