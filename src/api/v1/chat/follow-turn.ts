import type { FollowableTurn } from '../../../chat/background/followable-turn.ts';
import { HearthError } from '../../../kernel/errors/errors.ts';
import type { RequestContext } from '../../../telemetry/request-context.ts';
import { eventStream, type SseMessage } from '../../kit/stream/sse.ts';
import { v1Errors } from '../errors.ts';
import { toChatEvent } from './to-chat-event.ts';

/** Streams the events of a turn in the background after a position, and later ones. Their ids are positions. */
export function followTurn(turn: FollowableTurn, after: number, context: RequestContext): Response {
  return eventStream(toMessages(turn, after, context), context);
}

async function* toMessages(
  turn: FollowableTurn,
  after: number,
  { signal }: RequestContext,
): AsyncGenerator<SseMessage> {
  try {
    for await (const { sequence, value } of turn.events(after, signal)) {
      const event = toChatEvent(value, turn.id);
      if (event === undefined) continue;
      yield { event: event.type, id: String(sequence), data: JSON.stringify(event) };
    }
  } catch (error) {
    if (!(error instanceof HearthError)) throw error;
    const { error: body } = v1Errors.serialize(error).body;
    yield { event: 'error', data: JSON.stringify({ type: 'error', error: body }) };
  }
}
