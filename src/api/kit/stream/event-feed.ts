import { randomBytes } from 'node:crypto';
import type { EventTopic, ServerEvent } from '../../v1/server/server-event-schema.ts';

type WithoutTime<Event> = Event extends unknown ? Omit<Event, 'time'> : never;
export type FeedEvent = WithoutTime<ServerEvent>;

/** An event as clients receive it. */
export interface FeedEntry {
  /** Position of the event in the common sequence of all topics. */
  readonly sequence: number;
  readonly type: string;
  /** Key of the model that the event concerns; undefined if it concerns none. */
  readonly model: string | undefined;
  /** JSON. */
  readonly data: string;
}

interface FeedOptions {
  /** Maximum events per topic that are kept for clients that reconnect or read slowly. */
  readonly capacity?: number;
  /** Called before the first reader opens. Until then no client knows an id, so no event needs to be added. */
  readonly onFirstReader?: () => void;
}

/** The latest events of a topic, oldest first. */
interface TopicLog {
  readonly entries: FeedEntry[];
  /** Sequence of the last dropped event; 0 if all are kept. */
  discarded: number;
}

/**
 * Keeps the latest events of each topic separately, so that a busy topic does not displace a quiet topic's events. A
 * reader has a position instead of a queue, so an idle reader costs nothing. A reader that falls behind learns how many
 * events it has missed.
 */
export class EventFeed {
  /** Prefix of event ids, different for each run of the server, to recognize ids of an earlier run. */
  readonly #run = randomBytes(4).toString('hex');
  readonly #capacity: number;
  readonly #onFirstReader: () => void;
  #wasRead = false;
  readonly #logs: Readonly<Record<EventTopic, TopicLog>> = {
    models: { entries: [], discarded: 0 },
    downloads: { entries: [], discarded: 0 },
    requests: { entries: [], discarded: 0 },
  };
  readonly #readers = new Set<FeedReader>();
  #sequence = 0;
  readonly #closing = new AbortController();

  constructor({ capacity = 1000, onFirstReader = () => {} }: FeedOptions = {}) {
    this.#capacity = capacity;
    this.#onFirstReader = onFirstReader;
  }

  /** Sequence of the newest event; 0 before the first one. */
  get sequence(): number {
    return this.#sequence;
  }

  get isClosed(): boolean {
    return this.closed.aborted;
  }

  /** Aborts if the server stops, to end its endless streams. */
  get closed(): AbortSignal {
    return this.#closing.signal;
  }

  hasReaders(topic: EventTopic): boolean {
    for (const reader of this.#readers) if (reader.topics.has(topic)) return true;
    return false;
  }

  add(topic: EventTopic, event: FeedEvent): void {
    this.#sequence += 1;
    const log = this.#logs[topic];
    log.entries.push(new Entry(this.#sequence, event));
    // Drops events in batches, since each removal moves all remaining ones.
    if (log.entries.length >= this.#capacity * 2) {
      const discarded = log.entries.splice(0, log.entries.length - this.#capacity);
      log.discarded = discarded.at(-1)?.sequence ?? log.discarded;
    }
    for (const reader of this.#readers) if (reader.topics.has(topic)) reader.notify();
  }

  /** The events of topics after a position, oldest first; undefined if some of them were dropped. */
  since(sequence: number, topics: ReadonlySet<EventTopic>): readonly FeedEntry[] | undefined {
    const logs = [...topics].map((topic) => this.#logs[topic]);
    if (logs.some(({ discarded }) => discarded > sequence)) return undefined;
    return logs
      .flatMap(({ entries }) => {
        const last = entries.findLastIndex((entry) => entry.sequence <= sequence);
        return entries.slice(last + 1);
      })
      .toSorted((left, right) => left.sequence - right.sequence);
  }

  /** Opens a reader of some topics, which the caller must close. */
  open(topics: ReadonlySet<EventTopic>): FeedReader {
    if (!this.#wasRead) {
      this.#wasRead = true;
      this.#onFirstReader();
    }
    const reader = new FeedReader(topics, () => this.#readers.delete(reader));
    if (!this.isClosed) this.#readers.add(reader);
    return reader;
  }

  idOf(sequence: number): string {
    return `${this.#run}-${sequence}`;
  }

  /** Position of an event id; undefined if it is from another run, or events of the topics after it were dropped. */
  positionOf(id: string, topics: ReadonlySet<EventTopic>): number | undefined {
    const [run, digits = ''] = id.split('-', 2);
    if (run !== this.#run || !/^\d{1,15}$/.test(digits)) return undefined;
    const sequence = Number(digits);
    if (sequence > this.#sequence) return undefined;
    return this.since(sequence, topics) === undefined ? undefined : sequence;
  }

  /** Ends all readers. */
  close(): void {
    this.#closing.abort();
    for (const reader of this.#readers) reader.wake();
  }
}

/** Formats its JSON for the first reader, since most events are never read. */
class Entry implements FeedEntry {
  readonly sequence: number;
  readonly #event: FeedEvent;
  readonly #time = new Date();
  #data: string | undefined;

  constructor(sequence: number, event: FeedEvent) {
    this.sequence = sequence;
    this.#event = event;
  }

  get type(): string {
    return this.#event.type;
  }

  get model(): string | undefined {
    if ('job' in this.#event) return this.#event.job.model;
    return 'model' in this.#event ? this.#event.model : undefined;
  }

  get data(): string {
    return (this.#data ??= formatEvent(this.#event, this.#time));
  }
}

/** Formats an event as JSON. */
export function formatEvent({ type, ...fields }: FeedEvent, time = new Date()): string {
  return JSON.stringify({ type, time: time.toISOString(), ...fields });
}

/** Waits for events of its topics. */
export class FeedReader {
  readonly topics: ReadonlySet<EventTopic>;
  readonly #onClose: () => void;
  #resume: (() => void) | undefined;
  #unread = 0;

  constructor(topics: ReadonlySet<EventTopic>, onClose: () => void) {
    this.topics = topics;
    this.#onClose = onClose;
  }

  /** Counts an event and wakes the reader. */
  notify(): void {
    this.#unread += 1;
    this.wake();
  }

  /** Returns the number of events since the last call. */
  takeUnread(): number {
    const unread = this.#unread;
    this.#unread = 0;
    return unread;
  }

  wake(): void {
    this.#resume?.();
    this.#resume = undefined;
  }

  /** Resolves when the next event is added, or the signal aborts. Call it in the same tick as `since`. */
  next(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        signal.removeEventListener('abort', done);
        resolve();
      };
      this.#resume = done;
      if (signal.aborted) done();
      else signal.addEventListener('abort', done, { once: true });
    });
  }

  close(): void {
    this.#onClose();
  }
}
