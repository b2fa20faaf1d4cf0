import { createParser } from 'eventsource-parser';
import { ApiError } from './client-error.ts';

/** In characters; the last event of a chat contains the whole answer. */
const maxEventLength = 256 * 1024 * 1024;

/** Yields the `data` field of each server-sent event (WHATWG HTML); skips comments. */
export async function* readServerSentEvents(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<string> {
  let ready: string[] = [];
  const parser = createParser({
    maxBufferSize: maxEventLength,
    onEvent: ({ data }) => ready.push(data),
    onError: (error) => {
      if (error.type !== 'max-buffer-size-exceeded') return;
      throw new ApiError({
        type: 'unexpected_response',
        message: 'The server sent an event that is too long.',
      });
    },
  });
  const decoder = new TextDecoder();
  for await (const chunk of chunks) {
    parser.feed(decoder.decode(chunk, { stream: true }));
    const events = ready;
    ready = [];
    yield* events;
  }
}
