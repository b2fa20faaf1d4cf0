interface Caller<Event> {
  readonly signal?: AbortSignal | undefined;
  readonly onEvent?: ((event: Event) => void) | undefined;
}

interface Flight<Result, Event> {
  readonly controller: AbortController;
  readonly listeners: Set<(event: Event) => void>;
  readonly result: Promise<Result>;
  waiting: number;
}

/** One piece of work at a time for each key, whose result and events all callers share. */
export interface SingleFlight<Result, Event> {
  /**
   * Joins the work under way for the key, or starts it. A caller that aborts leaves; the last one to leave
   * aborts the work and waits until it has ended.
   */
  join(
    key: string,
    work: (report: (event: Event) => void, signal: AbortSignal) => Promise<Result>,
    caller: Caller<Event>,
  ): Promise<Result>;
}

export function createSingleFlight<Result, Event>(): SingleFlight<Result, Event> {
  const flights = new Map<string, Flight<Result, Event>>();

  function start(
    key: string,
    work: (report: (event: Event) => void, signal: AbortSignal) => Promise<Result>,
  ): Flight<Result, Event> {
    const controller = new AbortController();
    const listeners = new Set<(event: Event) => void>();
    const report = (event: Event): void => {
      for (const listener of listeners) listener(event);
    };
    const flight: Flight<Result, Event> = {
      controller,
      listeners,
      waiting: 0,
      result: work(report, controller.signal).finally(() => {
        if (flights.get(key) === flight) flights.delete(key);
      }),
    };
    flights.set(key, flight);
    return flight;
  }

  return {
    join: async (key, work, { signal, onEvent }) => {
      signal?.throwIfAborted();
      const flight = flights.get(key) ?? start(key, work);
      flight.waiting += 1;
      const listener = (event: Event): void => onEvent?.(event);
      flight.listeners.add(listener);
      let leave = (): void => {};
      const left = new Promise<'left'>((resolve) => {
        leave = () => resolve('left');
        signal?.addEventListener('abort', leave, { once: true });
      });
      try {
        const outcome = await Promise.race([flight.result.then((result) => ({ result })), left]);
        if (outcome !== 'left') return outcome.result;
      } finally {
        signal?.removeEventListener('abort', leave);
        flight.listeners.delete(listener);
        flight.waiting -= 1;
      }
      if (flight.waiting === 0) {
        if (flights.get(key) === flight) flights.delete(key);
        flight.controller.abort(signal?.reason);
        await flight.result.catch(() => {});
      }
      throw signal?.reason;
    },
  };
}
