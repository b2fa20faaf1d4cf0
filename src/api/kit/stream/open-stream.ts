import { HearthError } from '../../../kernel/errors/errors.ts';
import type { RequestContext } from '../../../kernel/request/request-context.ts';

/**
 * Converts an error to the error event of a stream that has begun. Logs server faults.
 *
 * @throws The error itself if the client has disconnected.
 */
export function toStreamError(error: unknown, { signal, logger }: RequestContext): HearthError {
  if (error instanceof HearthError) return error;
  if (signal.aborted) {
    if (signal.reason instanceof HearthError) return signal.reason;
    throw error;
  }
  logger.error({ err: error }, 'stream failed');
  return new HearthError(
    'internal',
    'An unexpected error occurred; the log of the server has the details.',
  );
}

/** Maximum delay of a stream's head after the request's first event. */
const longestHeadMs = 500;

/** Events after which the request may still be refused. They wait for the next event and are sent with it. */
const preliminary = new Set([
  'turn.start',
  'completion.start',
  'prompt.start',
  'toolList.start',
  'toolList.failure',
]);

interface StreamEvent {
  readonly type: string;
  readonly error?: HearthError;
}

/** A request event, or the event of one of several choices. */
export type StreamItem = StreamEvent | { readonly index: number; readonly event: StreamEvent };

/** Converts the events of a request to an API's messages. */
export interface StreamFormat<Item, Message> {
  /** @throws The error of an event that ends the stream, for `fail` to convert. */
  readonly write: (item: Item) => readonly Message[];
  /** Converts an error after the head to messages. */
  readonly fail: (error: HearthError) => readonly Message[];
  /** The last messages, also after an error. */
  readonly end?: () => readonly Message[];
}

/**
 * Resolves when the head of a stream is due: with the first message, but at most 500 ms after the first event. An error
 * before the head is thrown and becomes an ordinary error response. A later error becomes a message of the stream.
 *
 * @throws The errors of the events until then.
 */
export async function openStream<Item extends StreamItem, Message>(
  items: AsyncGenerator<Item>,
  format: StreamFormat<Item, Message>,
  context: RequestContext,
): Promise<AsyncGenerator<Message>> {
  const ready: Message[] = [];
  let timer: NodeJS.Timeout | undefined;
  let timeLimit: Promise<undefined> | undefined;
  try {
    for (;;) {
      const next = items.next();
      // After the time limit, `next` is awaited again; until then its failure must not become an unhandled rejection.
      next.catch(() => {});
      const result = await (timeLimit === undefined ? next : Promise.race([next, timeLimit]));
      if (result === undefined || result.done === true) {
        return writeStream({ ready, next, items }, format, context);
      }
      timeLimit ??= new Promise((resolve) => {
        timer = setTimeout(resolve, longestHeadMs, undefined);
      });
      const { type, error } = 'event' in result.value ? result.value.event : result.value;
      if (type === 'turn.error' && error !== undefined) throw error;
      const messages = format.write(result.value);
      ready.push(...messages);
      if (messages.length > 0 && !preliminary.has(type)) {
        return writeStream({ ready, items }, format, context);
      }
    }
  } catch (error) {
    await items.return(undefined);
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

interface OpenSource<Item, Message> {
  readonly ready: readonly Message[];
  /** The next event, if it is already awaited. */
  readonly next?: Promise<IteratorResult<Item>>;
  readonly items: AsyncGenerator<Item>;
}

async function* writeStream<Item, Message>(
  { ready, next, items }: OpenSource<Item, Message>,
  { write, fail, end }: StreamFormat<Item, Message>,
  context: RequestContext,
): AsyncGenerator<Message> {
  try {
    for (const message of ready) yield message;
    let result = await (next ?? items.next());
    while (result.done !== true) {
      for (const message of write(result.value)) yield message;
      result = await items.next();
    }
  } catch (error) {
    for (const message of fail(toStreamError(error, context))) yield message;
  } finally {
    await items.return(undefined);
  }
  if (end !== undefined) for (const message of end()) yield message;
}
