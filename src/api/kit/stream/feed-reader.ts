import type { EventTopic } from '../../v1/server/server-event-schema.ts';

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
