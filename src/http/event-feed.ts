import { randomBytes } from 'node:crypto';
import type { EventTopic, ServerEvent } from '../contract/v1/server-event.ts';
import { FeedReader } from './feed-reader.ts';

type WithoutTime<Event> = Event extends unknown ? Omit<Event, 'time'> : never;
export type FeedEvent = WithoutTime<ServerEvent>;

/** An event as clients get it. */
export interface FeedEntry {
  readonly sequence: number;
  readonly topic: EventTopic;
  readonly type: string;
  /** JSON. */
  readonly data: string;
}

interface FeedOptions {
  /** Most events that are kept for clients that reconnect or read slowly. */
  readonly capacity?: number;
}

/**
 * The latest events. Readers have a position in them and no queue of their own, so an idle reader costs nothing, and one
 * that falls behind learns how many events it has missed.
 */
export class EventFeed {
  /** Begins the ids of events, so that those of another run of the server are not mistaken for ours. */
  readonly #run = randomBytes(4).toString('hex');
  readonly #capacity: number;
  readonly #entries: FeedEntry[] = [];
  readonly #readers = new Set<FeedReader>();
  #sequence = 0;
  #isClosed = false;

  constructor({ capacity = 1000 }: FeedOptions = {}) {
    this.#capacity = capacity;
  }

  /** Sequence of the newest event; 0 before the first one. */
  get sequence(): number {
    return this.#sequence;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  hasReaders(topic: EventTopic): boolean {
    for (const reader of this.#readers) if (reader.topics.has(topic)) return true;
    return false;
  }

  add(topic: EventTopic, event: FeedEvent): void {
    this.#sequence += 1;
    const { type } = event;
    const data = formatEvent(event);
    this.#entries.push({ sequence: this.#sequence, topic, type, data });
    // In batches, since each shift moves all the others.
    if (this.#entries.length >= this.#capacity * 2) {
      this.#entries.splice(0, this.#entries.length - this.#capacity);
    }
    for (const reader of this.#readers) if (reader.topics.has(topic)) reader.wake();
  }

  /** The events after a position, oldest first; undefined if some of them are no longer kept. */
  since(sequence: number): readonly FeedEntry[] | undefined {
    const oldest = this.#sequence - this.#entries.length + 1;
    return sequence + 1 < oldest ? undefined : this.#entries.slice(sequence + 1 - oldest);
  }

  /** A reader of some topics; close it in the end. */
  open(topics: ReadonlySet<EventTopic>): FeedReader {
    const reader = new FeedReader(topics, () => this.#readers.delete(reader));
    if (!this.#isClosed) this.#readers.add(reader);
    return reader;
  }

  idOf(sequence: number): string {
    return `${this.#run}-${sequence}`;
  }

  /** Position of an id; undefined if it is not one of this run, or its successors are no longer kept. */
  positionOf(id: string): number | undefined {
    const [run, digits = ''] = id.split('-', 2);
    if (run !== this.#run || !/^\d{1,15}$/.test(digits)) return undefined;
    const sequence = Number(digits);
    if (sequence > this.#sequence) return undefined;
    return this.since(sequence) === undefined ? undefined : sequence;
  }

  /** Ends all readers. */
  close(): void {
    this.#isClosed = true;
    for (const reader of this.#readers) reader.wake();
  }
}

/** JSON of an event that happens now. */
export function formatEvent({ type, ...fields }: FeedEvent): string {
  return JSON.stringify({ type, time: new Date().toISOString(), ...fields });
}
