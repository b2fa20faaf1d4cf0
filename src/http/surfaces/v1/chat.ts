import { setTimeout } from 'node:timers/promises';
import type { TurnRequest } from '../../../chat/turn-request.ts';
import type { TurnEvent } from '../../../chat/turn-event.ts';
import { runTurn } from '../../../chat/run-turn.ts';
import { HearthError } from '../../../contract/errors.ts';
import type { ChatRequest, ChatResult } from '../../../contract/v1/chat.ts';
import { createChat } from '../../../contract/v1/chat-event.ts';
import { omitUndefined } from '../../../omit-undefined.ts';
import type { RequestContext } from '../../../request/request-context.ts';
import { unstoredResult } from '../../errors/unstored-result.ts';
import { mount, type App } from '../../mount.ts';
import { eventStream, type SseMessage } from '../../sse.ts';
import type { SurfaceServices } from '../services.ts';
import { v1Errors } from './errors.ts';
import { followTurn } from './follow-turn.ts';
import { namedConversation } from './named-conversation.ts';
import { toChatEvent } from './to-chat-event.ts';
import { toChatResult } from './to-chat-result.ts';
import { toTurnRequest } from './to-turn-request.ts';

export function mountChat(app: App, services: SurfaceServices): void {
  mount(app, createChat, async ({ body, context }) => {
    const conversationId = await namedConversation(services.store, body, context);
    const request = { ...toTurnRequest(body), ...omitUndefined({ conversationId }) };
    if (body.background === true) return runInBackground(services, body, request, context);
    const events = runTurn(services, request, context);
    if (body.stream !== true) return collect(events);
    return eventStream(toMessages(await begin(events)), context);
  });
}

/** The turn continues when the client disconnects; its events are replayed to the client. */
async function runInBackground(
  services: SurfaceServices,
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
  return collect(values(turn.events(-1, context.signal)));
}

async function* values<Value>(
  numbered: AsyncIterable<{ readonly value: Value }>,
): AsyncGenerator<Value> {
  for await (const { value } of numbered) yield value;
}

/** Longest time that the head of a stream waits, so that the client of a busy server sees that it was heard. */
const longestHeadMs = 1000;

interface BegunTurn {
  readonly events: readonly TurnEvent[];
  readonly next: Promise<IteratorResult<TurnEvent>>;
  readonly rest: AsyncGenerator<TurnEvent>;
}

/**
 * Reads the events until the engine has accepted the prompt or something else takes time. A failure before then,
 * such as a prompt that is too long, becomes an ordinary error response.
 *
 * @throws HearthError the error of the turn.
 */
async function begin(rest: AsyncGenerator<TurnEvent>): Promise<BegunTurn> {
  const events: TurnEvent[] = [];
  const waited = new AbortController();
  const isLate = setTimeout(longestHeadMs, 'late', { signal: waited.signal }).catch(() => 'late');
  try {
    for (;;) {
      const next = rest.next();
      // It is awaited again once the stream is open.
      next.catch(() => {});
      const result = events.length === 0 ? await next : await Promise.race([next, isLate]);
      if (typeof result === 'string' || result.done === true) return { events, next, rest };
      const event = result.value;
      if (event.type === 'turn.error') throw event.error;
      const isPreliminary = event.type === 'turn.start' || event.type === 'prompt.start';
      if (!isPreliminary) return { events, next, rest };
      events.push(event);
    }
  } catch (error) {
    await rest.return(undefined);
    throw error;
  } finally {
    waited.abort();
  }
}

/**
 * Runs the turn to its end; a failure on the way becomes the response. If only storing failed, the response has the
 * error and the answer, as a stream has.
 */
async function collect(events: AsyncIterable<TurnEvent>): Promise<ChatResult | Response> {
  let storageFailure: HearthError | undefined;
  for await (const event of events) {
    if (event.type === 'turn.error') {
      if (event.error.code !== 'storage_failed') throw event.error;
      storageFailure = event.error;
    }
    if (event.type === 'turn.end') {
      const result = toChatResult(event.result);
      if (storageFailure === undefined) return result;
      return unstoredResult(storageFailure, v1Errors, result);
    }
  }
  throw new Error('The turn ended without turn.end');
}

async function* toMessages({ events, next, rest }: BegunTurn): AsyncGenerator<SseMessage> {
  try {
    for (const event of events) yield* toMessage(event);
    const result = await next;
    if (result.done !== true) yield* toMessage(result.value);
    for await (const event of rest) {
      for (const message of toMessage(event)) yield message;
    }
  } finally {
    await rest.return(undefined);
  }
}

function toMessage(event: TurnEvent): readonly SseMessage[] {
  const wire = toChatEvent(event);
  return wire === undefined ? [] : [{ event: wire.type, data: JSON.stringify(wire) }];
}
