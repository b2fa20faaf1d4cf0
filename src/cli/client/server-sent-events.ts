import { createParser } from 'eventsource-parser';
import { ApiError } from './client-error.ts';

/** Longest event, in characters: the last one of a chat holds the whole answer. */
const maxEventLength = 256 * 1024 * 1024;

/** The `data` of each event of a stream (WHATWG HTML, server-sent events); comments are left out. */
export async function* readServerSentEvents(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<string> {
  let ready: string[] = [];
  const parser = createParser({
    maxBufferSize: maxEventLength,
    onEvent: ({ data }) => ready.push(data),
    onError: (error) => {
      if (error.type !== 'max-buffer-size-exceeded') return;
      throw new ApiError({ type: 'unexpected_answer', message: 'An event is too long.' });
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
