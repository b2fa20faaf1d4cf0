import type { RequestRecord } from '../kernel/request/request-record.ts';
import type { ServerEvent } from '../kernel/events/server-event.ts';
import type { ServerEvents } from '../kernel/events/server-events.ts';

interface RequestLogOptions {
  readonly events: Pick<ServerEvents, 'subscribe'>;
  /** Maximum number of ended requests to keep; 0 keeps none. */
  readonly capacity: number;
  /** Maximum characters of their prompts, outputs and bodies. */
  readonly maxTextLength?: number;
}

/** Approximate size of a request without texts. */
const baseLength = 1024;
const defaultMaxTextLength = 64 * 1024 * 1024;

/** The running and the latest requests, without polls that succeed. */
export class RequestLog {
  readonly #capacity: number;
  readonly #maxTextLength: number;
  readonly #running = new Set<RequestRecord>();
  /** Ended requests with the length of their texts, oldest first. */
  readonly #ended = new Map<RequestRecord, number>();
  #textLength = 0;

  constructor({ events, capacity, maxTextLength = defaultMaxTextLength }: RequestLogOptions) {
    this.#capacity = capacity;
    this.#maxTextLength = maxTextLength;
    events.subscribe(this.#note);
  }

  get running(): ReadonlySet<RequestRecord> {
    return this.#running;
  }

  /** Lists the requests, newest first. */
  list(): readonly RequestRecord[] {
    return [...this.#ended.keys(), ...this.#running].toSorted(
      (one, other) => other.startMs - one.startMs,
    );
  }

  /** Finds a record by its id, or else the newest one with this request id. */
  find(id: string): RequestRecord | undefined {
    const records = this.list();
    return (
      records.find((record) => record.id === id) ??
      records.find((record) => record.requestId === id)
    );
  }

  readonly #note = (event: ServerEvent): void => {
    if (event.type === 'request.started') {
      if (!event.record.isPoll) this.#running.add(event.record);
    } else if (event.type === 'request.finished') {
      const { record } = event;
      this.#running.delete(record);
      if (record.isPoll && record.state === 'completed') return;
      this.#ended.set(record, 0);
      this.#measure(record);
      // A background response continues after its request.
    } else if (event.type === 'generation.ended') this.#measure(event.record);
  };

  #measure(record: RequestRecord): void {
    const before = this.#ended.get(record);
    if (before === undefined) return;
    const length = baseLength + (record.keepsPrompts ? lengthOfTexts(record) : 0);
    this.#ended.set(record, length);
    this.#textLength += length - before;
    for (const [oldest, oldestLength] of this.#ended) {
      const isFull = this.#ended.size > this.#capacity || this.#textLength > this.#maxTextLength;
      if (!isFull) return;
      this.#ended.delete(oldest);
      this.#textLength -= oldestLength;
    }
  }
}

function lengthOfTexts({ body, generations }: RequestRecord): number {
  const texts = generations.map(({ texts: kept }) =>
    kept === undefined ? 0 : kept.prompt.length + kept.output.length + kept.toolCalls.length,
  );
  const bodyLength = body === undefined ? 0 : JSON.stringify(body).length;
  return bodyLength + texts.reduce((sum, length) => sum + length, 0);
}
