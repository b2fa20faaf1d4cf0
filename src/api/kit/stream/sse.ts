import { HearthError } from '../../../kernel/errors/errors.ts';
import type { Logger } from '../../../kernel/logger.ts';

/** One server-sent event; see "Server-sent events" in the HTML standard. */
export interface SseMessage {
  readonly event?: string;
  /** Id from which a client can continue the stream (`Last-Event-ID`). */
  readonly id?: string;
  readonly data: string;
}

/** Options; `signal` and `logger` usually come from a `RequestContext`. */
interface EventStreamOptions {
  /** Ends the source if it aborts because the client has disconnected. */
  readonly signal: AbortSignal;
  /** Logs errors of the source. A source should instead report its failures in a last event. */
  readonly logger: Logger;
  /** Silence after which a comment is sent, so that proxies don't close the connection as idle. */
  readonly heartbeatMs?: number;
}

const defaultHeartbeatMs = 15_000;

/** Approximate characters per chunk for messages that are ready at the same time. */
const maxBatchLength = 16 * 1024;
/** Characters that a source may be ahead of its client, so that a slow client does not occupy an engine. */
const maxAheadLength = 256 * 1024;

const comment = ': ping\n\n';

const headers = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  'Cache-Control': 'no-cache, no-transform',
  'X-Accel-Buffering': 'no',
  Connection: 'keep-alive',
};

/**
 * Streams a source's messages. Reads the source at the client's pace, up to 256 KiB ahead, and ends it if the client
 * disconnects.
 */
export function eventStream(
  source: AsyncIterable<SseMessage>,
  options: EventStreamOptions & {
    /** Sent instead of the comment. */
    readonly heartbeat?: SseMessage;
  },
): Response {
  const { heartbeat } = options;
  const beat = heartbeat === undefined ? comment : formatMessage(heartbeat);
  return textStream(source, {
    ...options,
    format: formatMessage,
    heartbeat: () => beat,
    headers,
  });
}

/** Converts a source's messages to text. */
interface TextFormat<Message> {
  readonly format: (message: Message) => string;
  /** Creates the text that is sent after a silence; if undefined, none is sent. */
  readonly heartbeat: (() => string) | undefined;
  readonly headers: Readonly<Record<string, string>>;
}

/** Like `eventStream`, in another format. */
export function textStream<Message>(
  source: AsyncIterable<Message>,
  options: EventStreamOptions & TextFormat<Message>,
): Response {
  const pump = new MessagePump(source, options);
  const stream = new ReadableStream(pump, { highWaterMark: 0 });
  return new Response(stream, { headers: options.headers });
}

interface Demand {
  readonly controller: ReadableStreamDefaultController<Uint8Array>;
  readonly meet: () => void;
}

/** Connects a source to the stream that pulls from it. */
class MessagePump<Message> {
  readonly #source: AsyncIterator<Message>;
  readonly #options: EventStreamOptions & TextFormat<Message>;
  #batch = '';
  #demand: Demand | undefined;
  #isAsking = false;
  #hasAsked = false;
  #isDone = false;
  #isFlushScheduled = false;
  #heartbeat: NodeJS.Timeout | undefined;

  constructor(source: AsyncIterable<Message>, options: EventStreamOptions & TextFormat<Message>) {
    this.#source = source[Symbol.asyncIterator]();
    this.#options = options;
    if (options.signal.aborted) this.#onAbort();
    else options.signal.addEventListener('abort', this.#onAbort, { once: true });
  }

  /** Resolves when data has been enqueued, or the stream was closed. */
  pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    if (!this.#isDone) {
      const { heartbeatMs = defaultHeartbeatMs } = this.#options;
      this.#heartbeat ??= setInterval(this.#beat, heartbeatMs).unref();
    }
    return new Promise((meet) => {
      this.#demand = { controller, meet };
      this.#ask();
      if (this.#batch !== '' || this.#isDone) this.#scheduleFlush();
    });
  }

  /** Called when the stream is already closed, so the pending pull must not enqueue anything. */
  cancel(): void {
    this.#demand?.meet();
    this.#demand = undefined;
    this.stop();
  }

  /** Discards unsent messages and ends the source. */
  stop(): void {
    if (this.#isDone) return;
    this.#batch = '';
    this.#finish();
    // `return` of a generator that was never started would skip its `finally` blocks.
    if (!this.#hasAsked) this.#source.next().catch(this.#onFailure);
    this.#source.return?.().catch(this.#onFailure);
  }

  #ask(): void {
    const maxLength = this.#demand === undefined ? maxAheadLength : maxBatchLength;
    if (this.#isAsking || this.#isDone || this.#batch.length >= maxLength) return;
    this.#isAsking = true;
    this.#hasAsked = true;
    this.#source.next().then(this.#onResult, this.#onFailure);
  }

  readonly #onResult = (result: IteratorResult<Message, unknown>): void => {
    this.#isAsking = false;
    if (this.#isDone) return;
    if (result.done === true) this.#finish();
    else this.#batch += this.#options.format(result.value);
    this.#ask();
    if (this.#demand !== undefined) this.#scheduleFlush();
  };

  readonly #onFailure = (error: unknown): void => {
    if (this.#options.signal.aborted) {
      this.#finish();
      return;
    }
    this.#options.logger.error({ err: error }, 'the source of an event stream failed');
    this.#finish();
  };

  readonly #onAbort = (): void => {
    // With a HearthError the server ends the request: the client is still connected and gets the error from the source.
    if (!(this.#options.signal.reason instanceof HearthError)) this.stop();
  };

  readonly #beat = (): void => {
    const { heartbeat: beat } = this.#options;
    if (beat === undefined || this.#demand === undefined || this.#batch !== '') return;
    this.#meet(Buffer.from(beat()));
  };

  #finish(): void {
    this.#isDone = true;
    clearInterval(this.#heartbeat);
    this.#options.signal.removeEventListener('abort', this.#onAbort);
    if (this.#demand !== undefined) this.#scheduleFlush();
  }

  /** Flushes after all pending promises have settled, when the source has produced all ready events. */
  #scheduleFlush(): void {
    if (this.#isFlushScheduled) return;
    this.#isFlushScheduled = true;
    process.nextTick(this.#flush);
  }

  readonly #flush = (): void => {
    this.#isFlushScheduled = false;
    if (this.#batch !== '') {
      const bytes = Buffer.from(this.#batch);
      this.#batch = '';
      this.#heartbeat?.refresh();
      this.#meet(bytes);
      this.#ask();
    } else if (this.#isDone) {
      this.#meet(undefined);
    }
  };

  /** Resolves the pending pull with bytes; closes the stream if there are none. */
  #meet(bytes: Uint8Array | undefined): void {
    const demand = this.#demand;
    this.#demand = undefined;
    if (bytes === undefined) demand?.controller.close();
    else demand?.controller.enqueue(bytes);
    demand?.meet();
  }
}

const lineBreak = /\r\n|\r|\n/g;

function formatMessage({ event, id, data }: SseMessage): string {
  const head =
    (event === undefined ? '' : `event: ${event}\n`) + (id === undefined ? '' : `id: ${id}\n`);
  return `${head}data: ${data.replaceAll(lineBreak, '\ndata: ')}\n\n`;
}
