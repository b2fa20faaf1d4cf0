import { setTimeout as delay } from 'node:timers/promises';
import { createParser } from 'eventsource-parser';
import { postRaw, type ApiInit, type SseEvent } from './api.ts';

/** Shorter than the time limit of a test, so that a failing test reports what it waited for. */
const longestWaitMs = 30_000;

/** An event stream that is read while it runs. */
export interface LiveStream {
  /**
   * Reads up to the first event whose data contains `text`.
   *
   * @throws Error with the last event if the stream ends first, or no event comes for half a minute.
   */
  until(text: string): Promise<SseEvent>;
  /** Reads the next event; undefined at the end. */
  next(): Promise<SseEvent | undefined>;
  /** Reads the remaining events. */
  rest(): Promise<readonly SseEvent[]>;
  /** Closes the connection before the stream ends. */
  disconnect(): void;
}

/**
 * Sends a POST request with `stream: true`; the events can be read as they come.
 *
 * @throws Error if the response is not an event stream.
 */
export async function openStream(
  url: string,
  path: string,
  body: Readonly<Record<string, unknown>>,
  init: ApiInit = {},
): Promise<LiveStream> {
  const connection = new AbortController();
  const text = JSON.stringify({ ...body, stream: true });
  const response = await postRaw(url, path, text, { ...init, signal: connection.signal });
  return liveStream(response, connection);
}

/** Follows the event stream of a GET request. */
export async function followStream(
  url: string,
  path: string,
  init: ApiInit = {},
): Promise<LiveStream> {
  const connection = new AbortController();
  const response = await fetch(url + path, { ...init, signal: connection.signal });
  return liveStream(response, connection);
}

async function liveStream(response: Response, connection: AbortController): Promise<LiveStream> {
  if (response.body === null || response.status !== 200) {
    throw new Error(`No event stream but ${response.status}: ${await response.text()}`);
  }
  // `values` locks the stream. Otherwise an unread stream would end when its response is garbage-collected.
  const events = readEvents(response.body.values());
  async function next(): Promise<SseEvent | undefined> {
    const { value, done } = await events.next();
    return done === true ? undefined : value;
  }
  return {
    async until(text) {
      const isLate = delay(longestWaitMs, 'late' as const, { ref: false });
      let last: SseEvent | undefined;
      for (;;) {
        const event = await Promise.race([next(), isLate]);
        if (event === 'late' || event === undefined) {
          const why = event === 'late' ? 'came in time' : 'came before the end of the stream';
          throw new Error(`No event with ${text} ${why}; the last one: ${JSON.stringify(last)}`);
        }
        if (event.data.includes(text)) return event;
        last = event;
      }
    },
    next,
    async rest() {
      const all: SseEvent[] = [];
      for await (const event of events) all.push(event);
      return all;
    },
    disconnect: () => connection.abort(),
  };
}

async function* readEvents(body: AsyncIterable<Uint8Array>): AsyncGenerator<SseEvent> {
  const ready: SseEvent[] = [];
  const parser = createParser({ onEvent: ({ event, data }) => ready.push({ event, data }) });
  const decoder = new TextDecoder();
  for await (const chunk of body) {
    parser.feed(decoder.decode(chunk, { stream: true }));
    yield* ready.splice(0);
  }
}
