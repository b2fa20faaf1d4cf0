import { abortable } from './abortable.ts';

interface Participant<Event> {
  readonly signal?: AbortSignal | undefined;
  readonly onEvent?: ((event: Event) => void) | undefined;
}

type Work<Result, Event> = (report: (event: Event) => void, signal: AbortSignal) => Promise<Result>;

interface Flight<Result, Event> {
  readonly controller: AbortController;
  readonly listeners: Set<(event: Event) => void>;
  readonly result: Promise<Result>;
}

/** Runs at most one task per key; concurrent calls share its result and its events. */
export interface SingleFlight<Result, Event> {
  /**
   * Joins the running task of the key, or starts one. A participant leaves if its signal aborts. The last one to leave
   * aborts the task and waits until it has ended.
   */
  join(key: string, work: Work<Result, Event>, participant: Participant<Event>): Promise<Result>;
}

export function createSingleFlight<Result, Event>(): SingleFlight<Result, Event> {
  const flights = new Map<string, Flight<Result, Event>>();

  function start(key: string, work: Work<Result, Event>): Flight<Result, Event> {
    const controller = new AbortController();
    const listeners = new Set<(event: Event) => void>();
    const report = (event: Event): void => {
      for (const listener of listeners) listener(event);
    };
    const flight: Flight<Result, Event> = {
      controller,
      listeners,
      result: work(report, controller.signal).finally(() => forget(key, flight)),
    };
    flights.set(key, flight);
    return flight;
  }

  function forget(key: string, flight: Flight<Result, Event>): void {
    if (flights.get(key) === flight) flights.delete(key);
  }

  return {
    join: async (key, work, { signal, onEvent }) => {
      signal?.throwIfAborted();
      const flight = flights.get(key) ?? start(key, work);
      const listener = (event: Event): void => onEvent?.(event);
      flight.listeners.add(listener);
      try {
        return await (signal === undefined ? flight.result : abortable(flight.result, signal));
      } finally {
        flight.listeners.delete(listener);
        if (signal?.aborted === true && flight.listeners.size === 0) {
          forget(key, flight);
          flight.controller.abort(signal.reason);
          await flight.result.catch(() => {});
        }
      }
    },
  };
}
