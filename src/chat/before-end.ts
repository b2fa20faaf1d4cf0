import type { TurnEvent } from './turn-event.ts';

/**
 * Passes the events of a turn on, and calls `onEnd` before its last event, so that who sees the end finds the work
 * done; also where the turn fails or is no longer read. It may be called twice.
 */
export async function* beforeEnd(
  events: AsyncIterable<TurnEvent>,
  onEnd: () => Promise<void>,
): AsyncGenerator<TurnEvent> {
  try {
    for await (const event of events) {
      if (event.type === 'turn.end') await onEnd();
      yield event;
    }
  } finally {
    await onEnd();
  }
}
