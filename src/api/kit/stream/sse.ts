import { HearthError } from '../../../kernel/errors/errors.ts';
import type { Logger } from '../../../kernel/logger.ts';

/** One server-sent event; see "Server-sent events" in the HTML standard. */
export interface SseMessage {
  readonly event?: string;
  /** With it a client can continue the stream (`Last-Event-ID`). */
  readonly id?: string;
  readonly data: string;
}

/** A `RequestContext` has the first two. */
interface EventStreamOptions {
  /** Returns the source when it aborts because the client has disconnected. */
  readonly signal: AbortSignal;
  /** Receives errors of the source. A source should report its failures in a last event instead. */
  readonly logger: Logger;
  /** Silence after which a comment is sent, so that no proxy closes the connection as idle. */
  readonly heartbeatMs?: number;
}

const defaultHeartbeatMs = 15_000;

/** Messages that are ready at the same time are sent in chunks of about this many characters. */
const maxBatchLength = 16 * 1024;
/** Characters that a source may be ahead of its client: an engine serves others as soon as the answer is written. */
const maxAheadLength = 256 * 1024;

const comment = ': ping\n\n';

const headers = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  'Cache-Control': 'no-cache, no-transform',
  'X-Accel-Buffering': 'no',
  Connection: 'keep-alive',
};

/**
 * Streams the messages of a source. The source is read at the pace of the client, up to 256 KiB ahead of it, and is returned
 * when the client disconnects.
 */
export function eventStream(
  source: AsyncIterable<SseMessage>,
  options: EventStreamOptions & {
    /** Sent in place of the comment. */
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

/** How the messages of a source are written. */
interface TextFormat<Message> {
  readonly format: (message: Message) => string;
  /** Returns the text that is sent after a silence; none is sent if undefined. */
  readonly heartbeat: (() => string) | undefined;
  readonly headers: Readonly<Record<string, string>>;
}

/** Streams messages as `eventStream` does, in another format. */
export function textStream<Message>(
  source: AsyncIterable<Message>,
  options: EventStreamOptions & TextFormat<Message>,
): Response {
  const pump = new MessagePump(source, options);
  const stream = new ReadableStream<Uint8Array>(
    { pull: (controller) => pump.pull(controller), cancel: () => pump.cancel() },
    { highWaterMark: 0 },
  );
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

  /** Resolves when something has been enqueued, or the stream closed. */
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

  /** The stream is closed already, so the pending pull must not enqueue anything. */
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
    // A generator that was never started would skip its clean-up.
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
    // With a HearthError the server ends the request: the client is connected, and the source sends the error.
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

  /**
   * Flushes after all pending promises have settled: by then the source has produced all ready
   * events.
   */
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

  /** Resolves the pending pull with bytes, or closes the stream without any. */
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
