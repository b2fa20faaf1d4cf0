import type { TurnRequest } from '../../../chat/turn-request.ts';
import type { TurnEvent } from '../../../chat/turn-event.ts';
import { runTurn } from '../../../chat/run-turn.ts';
import { HearthError } from '../../../kernel/errors/errors.ts';
import type { ChatRequest, ChatResult } from './chat-schema.ts';
import { createChat, type ChatEvent } from './chat-event-schema.ts';
import { omitUndefined } from '../../../kernel/omit-undefined.ts';
import type { RequestContext } from '../../../telemetry/request-context.ts';
import { unstoredResult } from '../../kit/errors/unstored-result.ts';
import { mount, type App } from '../../kit/mount.ts';
import { eventStream, type SseMessage } from '../../kit/stream/sse.ts';
import { collect } from '../../kit/stream/collect.ts';
import { openStream, type StreamFormat } from '../../kit/stream/open-stream.ts';
import type { ApiServices } from '../../services.ts';
import { v1Errors } from '../errors.ts';
import { followTurn } from './follow-turn.ts';
import { namedConversation } from './named-conversation.ts';
import { toChatEvent } from './to-chat-event.ts';
import { toChatResult } from './to-chat-result.ts';
import { toTurnRequest } from './to-turn-request.ts';

export function mountChat(app: App, services: ApiServices): void {
  mount(app, createChat, async ({ body, context }) => {
    const conversationId = await namedConversation(services.store, body, context);
    const request = { ...toTurnRequest(body), ...omitUndefined({ conversationId }) };
    if (body.background === true) return runInBackground(services, body, request, context);
    const events = runTurn(services, request, context);
    if (body.stream !== true) return collectResult(events);
    return eventStream(await openStream(events, format, context), context);
  });
}

/** The turn continues when the client disconnects; its events are replayed to the client. */
async function runInBackground(
  services: ApiServices,
  body: ChatRequest,
  turnRequest: TurnRequest,
  context: RequestContext,
): Promise<ChatResult | Response> {
  if (body.store === false) {
    throw new HearthError(
      'invalid_value',
      '`background` requires `store`: omit it, or set it to true.',
      {
        param: 'background',
      },
    );
  }
  const request = { ...turnRequest, waitsForLoad: true };
  const turn = await services.background.start(services, request, context);
  if (body.stream === true) return followTurn(turn, -1, context);
  return collectResult(values(turn.events(-1, context.signal)));
}

async function* values<Value>(
  numbered: AsyncIterable<{ readonly value: Value }>,
): AsyncGenerator<Value> {
  for await (const { value } of numbered) yield value;
}

/** A turn whose answer could not be stored has the error and the answer, as a stream has. */
async function collectResult(events: AsyncIterable<TurnEvent>): Promise<ChatResult | Response> {
  const { results, storageFailure } = await collect(events);
  const result = toChatResult(results[0]);
  if (storageFailure === undefined) return result;
  return unstoredResult(storageFailure, v1Errors, result);
}

const format: StreamFormat<TurnEvent, SseMessage> = {
  write: (event) => {
    const wire = toChatEvent(event);
    return wire === undefined ? [] : [toMessage(wire)];
  },
  fail: (error) => [toMessage({ type: 'error', error: v1Errors.serialize(error).body.error })],
};

function toMessage(event: ChatEvent): SseMessage {
  return { event: event.type, data: JSON.stringify(event) };
}
