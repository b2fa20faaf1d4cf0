import { Mutex } from '../../kernel/concurrency/semaphore.ts';
import type { TurnEvent } from '../turn-event.ts';
import type { BackgroundTurnRepository } from '../../store/shared/background-turn.ts';
import { encodeEvent } from './turn-event-codec.ts';

/** Interval at which collected events are stored. */
const collectMs = 200;

interface EventWriterOptions {
  readonly store: Pick<BackgroundTurnRepository, 'addEvents' | 'cancelRequested'>;
  readonly onCancel: (id: string) => void;
  /** Called if events could not be stored; they are stored later. */
  readonly onError: (error: unknown) => void;
}

interface Pending {
  readonly id: string;
  /** Position of the first event that is not stored yet. */
  first: number;
  events: string[];
  /** Number of events in an unconfirmed write. They are sent again unchanged, since they may be stored already. */
  sentCount: number;
}

/**
 * Stores the events of all turns of this process, with one statement per interval, and reads requested cancellations.
 */
export class EventWriter {
  readonly #options: EventWriterOptions;
  readonly #turns = new Map<string, Pending>();
  readonly #order = new Mutex();
  #timer: NodeJS.Timeout | undefined;
  #isTicking = false;

  constructor(options: EventWriterOptions) {
    this.#options = options;
  }

  add(id: string): void {
    this.#turns.set(id, { id, first: 0, events: [], sentCount: 0 });
    this.#timer ??= setInterval(() => void this.#tick(), collectMs).unref();
  }

  push(id: string, event: TurnEvent): void {
    this.#turns.get(id)?.events.push(encodeEvent(event));
  }

  /**
   * Stores the last events of a turn.
   *
   * @throws Error if the database is not available.
   */
  async end(id: string): Promise<void> {
    try {
      await this.#flush();
      // Writes what a failed attempt left.
      await this.#flush();
    } finally {
      this.#turns.delete(id);
      if (this.#turns.size === 0) this.close();
    }
  }

  close(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  async #tick(): Promise<void> {
    if (this.#isTicking) return;
    this.#isTicking = true;
    const { store, onCancel, onError } = this.#options;
    try {
      await this.#flush();
      for (const id of await store.cancelRequested([...this.#turns.keys()])) onCancel(id);
    } catch (error) {
      onError(error);
    } finally {
      this.#isTicking = false;
    }
  }

  /** Writes run one at a time, so that the events of a turn are stored in order. */
  #flush(): Promise<void> {
    return this.#order.run(async () => {
      const turns = [...this.#turns.values()].filter(({ events }) => events.length > 0);
      await this.#options.store.addEvents(
        turns.map((pending) => {
          pending.sentCount ||= pending.events.length;
          const { id, first, sentCount: count } = pending;
          const events = `[${pending.events.slice(0, count).join(',')}]`;
          return { id, first, count, events };
        }),
      );
      for (const pending of turns) {
        pending.first += pending.sentCount;
        pending.events.splice(0, pending.sentCount);
        pending.sentCount = 0;
      }
    });
  }
}
