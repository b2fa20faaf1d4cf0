import type { TurnEvent } from './turn-event.ts';

/**
 * Passes the events of a turn on and calls `onEnd` before the last event, so that readers of the end find the work
 * done. Also calls it if the turn fails or is no longer read. May call it twice.
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
