import type { TurnEvent } from '../../../chat/turn-event.ts';
import { runTurn } from '../../../chat/run-turn.ts';
import type { ChatResult } from '../../../contract/v1/chat.ts';
import { createChat } from '../../../contract/v1/chat-event.ts';
import { mount, type App } from '../../mount.ts';
import { eventStream, type SseMessage } from '../../sse.ts';
import type { SurfaceServices } from '../services.ts';
import { toChatEvent } from './to-chat-event.ts';
import { toChatResult } from './to-chat-result.ts';
import { toTurnRequest } from './to-turn-request.ts';

export function mountChat(app: App, services: SurfaceServices): void {
  mount(app, createChat, async ({ body, context }) => {
    const events = runTurn(services, toTurnRequest(body), context);
    if (body.stream !== true) return collect(events);
    // A fault of the request is thrown before the first event: it becomes an ordinary error response.
    const first = await events.next();
    return eventStream(toMessages(first, events), context);
  });
}

/** Runs the turn to its end; a failure on the way becomes the response. */
async function collect(events: AsyncIterable<TurnEvent>): Promise<ChatResult> {
  for await (const event of events) {
    if (event.type === 'turn.error') throw event.error;
    if (event.type === 'turn.end') return toChatResult(event.result);
  }
  throw new Error('The turn ended without turn.end');
}

async function* toMessages(
  first: IteratorResult<TurnEvent>,
  rest: AsyncGenerator<TurnEvent>,
): AsyncGenerator<SseMessage> {
  try {
    if (first.done !== true) yield* toMessage(first.value);
    for await (const event of rest) yield* toMessage(event);
  } finally {
    await rest.return(undefined);
  }
}

function toMessage(event: TurnEvent): readonly SseMessage[] {
  const wire = toChatEvent(event);
  return wire === undefined ? [] : [{ event: wire.type, data: JSON.stringify(wire) }];
}
