import { randomBytes } from 'node:crypto';
import type { EventTopic, ServerEvent } from '../../v1/server/server-event-schema.ts';

type WithoutTime<Event> = Event extends unknown ? Omit<Event, 'time'> : never;
export type FeedEvent = WithoutTime<ServerEvent>;

/** An event as clients get it. */
export interface FeedEntry {
  /** Position among the events of all topics. */
  readonly sequence: number;
  readonly type: string;
  /** Key of the model that it is about; undefined if it is about none. */
  readonly model: string | undefined;
  /** JSON. */
  readonly data: string;
}

interface FeedOptions {
  /** Most events of a topic that are kept for clients that reconnect or read slowly. */
  readonly capacity?: number;
  /** Called before the first reader is there. Until then no client knows an id, so no event needs to be added. */
  readonly onFirstReader?: () => void;
}

/** The latest events of a topic, oldest first. */
interface TopicLog {
  readonly entries: FeedEntry[];
  /** Sequence of the newest event that is no longer kept; 0 if all are. */
  discarded: number;
}

/**
 * Keeps the latest events of each topic, so that a busy topic does not displace the events of a
 * quiet one. Readers have a position in the events and no queue of their own, so an idle reader
 * costs nothing. A reader that falls behind learns how many events it has missed.
 */
export class EventFeed {
  /**
   * Prefix of event ids. It differs for each run of the server, so that ids of an earlier run are
   * not mistaken for ours.
   */
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

  /** Aborts when the server stops, and its endless streams must end. */
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
    // In batches, since each shift moves all the others.
    if (log.entries.length >= this.#capacity * 2) {
      const discarded = log.entries.splice(0, log.entries.length - this.#capacity);
      log.discarded = discarded.at(-1)?.sequence ?? log.discarded;
    }
    for (const reader of this.#readers) if (reader.topics.has(topic)) reader.notify();
  }

  /** The events of some topics after a position, oldest first; undefined if some of them are no longer kept. */
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

  /** A reader of some topics; close it in the end. */
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

  /** Position of an id; undefined if it is not one of this run, or some events of the topics after it are no longer kept. */
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

/** Most events are never read, so that their JSON is made for the first reader. */
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

/** JSON of an event. */
export function formatEvent({ type, ...fields }: FeedEvent, time = new Date()): string {
  return JSON.stringify({ type, time: time.toISOString(), ...fields });
}

/** Waits for events of some topics. */
export class FeedReader {
  readonly topics: ReadonlySet<EventTopic>;
  readonly #onClose: () => void;
  #resume: (() => void) | undefined;
  #unread = 0;

  constructor(topics: ReadonlySet<EventTopic>, onClose: () => void) {
    this.topics = topics;
    this.#onClose = onClose;
  }

  /** Counts an event of the topics, and wakes the reader. */
  notify(): void {
    this.#unread += 1;
    this.wake();
  }

  /** Events of the topics that were added since the last call. */
  takeUnread(): number {
    const unread = this.#unread;
    this.#unread = 0;
    return unread;
  }

  wake(): void {
    this.#resume?.();
    this.#resume = undefined;
  }

  /** Resolves when an event of the topics is added, or the signal aborts. Call it in the same tick as `since`. */
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
