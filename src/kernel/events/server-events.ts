import type { ServerEvent } from './server-event.ts';

/** The channel through which modules report events. */
export interface EventPublisher {
  readonly publish: (event: ServerEvent) => void;
}

type Listener = (event: ServerEvent) => void;

/** Passes events on to listeners, synchronously and in order. */
export class ServerEvents implements EventPublisher {
  readonly #listeners = new Set<Listener>();
  readonly #onError: (error: unknown) => void;

  /** @param onError Receives errors of listeners; they do not affect the publisher and other listeners. */
  constructor(onError: (error: unknown) => void) {
    this.#onError = onError;
  }

  readonly publish = (event: ServerEvent): void => {
    for (const listener of this.#listeners) {
      try {
        listener(event);
      } catch (error) {
        this.#onError(error);
      }
    }
  };

  /** @returns A function that ends the subscription. */
  subscribe(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

/** Drops all events. */
export const noEvents: EventPublisher = { publish: () => {} };
