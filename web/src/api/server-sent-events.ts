import { createParser } from 'eventsource-parser';

export interface ServerSentEvent {
  /** `message` if the event has no name. */
  readonly event: string;
  readonly id: string | undefined;
  readonly data: string;
}

/**
 * Reads the events of a response body. Leaving the loop cancels the body.
 *
 * @param pause Awaited when no data is available, so that more events arrive with fewer reads.
 */
export async function* readServerSentEvents(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  pause?: () => Promise<void>,
): AsyncGenerator<ServerSentEvent> {
  let events: ServerSentEvent[] = [];
  const parser = createParser({
    onEvent: ({ event = 'message', id, data }) => events.push({ event, id, data }),
  });
  const decoder = new TextDecoder();
  const reader = body.getReader();
  try {
    while (true) {
      const next = reader.read();
      if (pause !== undefined && !(await isReady(next))) await pause();
      const { done, value } = await next;
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

/** True if the promise settles before the next task. */
function isReady(promise: Promise<unknown>): Promise<boolean> {
  const settled = promise.then(
    () => true,
    () => true,
  );
  return Promise.race([settled, new Promise<false>((resolve) => setTimeout(resolve, 0, false))]);
}
