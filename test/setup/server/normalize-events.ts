import type { ChatEvent } from '../../../src/api/v1/chat/chat-event-schema.ts';

/**
 * A stream in the format of fixtures, without differences between runs: ids, times, and how deltas and progress are
 * split.
 */
export function normalizeEvents(events: readonly ChatEvent[]): string {
  const merged: ChatEvent[] = [];
  for (const event of events) {
    const last = merged.at(-1);
    if (
      (event.type === 'message.delta' || event.type === 'reasoning.delta') &&
      last?.type === event.type
    ) {
      merged[merged.length - 1] = { ...last, content: last.content + event.content };
    } else if (last?.type === event.type) {
      merged[merged.length - 1] = event;
    } else {
      merged.push(event);
    }
  }
  return `${merged.map((event) => `event: ${event.type}\ndata: ${toJson(event)}\n`).join('\n')}\n`;
}

const volatileNumbers = new Set([
  'tokens_per_second',
  'time_to_first_token_seconds',
  'model_load_time_seconds',
  'load_time_seconds',
]);

function toJson(event: ChatEvent): string {
  return JSON.stringify(event, (key, value: unknown) => {
    if (volatileNumbers.has(key)) return 0.5;
    return key === 'response_id' ? `resp_${'0'.repeat(48)}` : value;
  });
}
