import { createParser } from 'eventsource-parser';

export interface ServerSentEvent {
  /** `message` if the event has no name. */
  readonly event: string;
  readonly id: string | undefined;
  readonly data: string;
}

/** Reads the events of a response body. Leaving the loop cancels the body. */
export async function* readServerSentEvents(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
): AsyncGenerator<ServerSentEvent> {
  let events: ServerSentEvent[] = [];
  const parser = createParser({
    onEvent: ({ event = 'message', id, data }) => events.push({ event, id, data }),
  });
  const decoder = new TextDecoder();
  const reader = body.getReader();
  try {
    while (true) {
      const { done, value } = await reader.read();
      if (done) return;
      parser.feed(decoder.decode(value, { stream: true }));
      const read = events;
      events = [];
      yield* read;
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}
