import { abortable } from '../../concurrency/abortable.ts';

/** The requests that wait for a slot, or for room in the cache, in order of arrival. */
export class EngineSlotQueue {
  readonly #places = new Set<object>();
  readonly #waiting = new Set<() => void>();

  get isEmpty(): boolean {
    return this.#places.size === 0;
  }

  /**
   * Waits at the end of the queue until `take` gives something, which is asked after each change.
   *
   * @param prepare Runs while the request waits; its result goes to `take`.
   * @throws The signal's reason when aborted; the errors of `prepare`.
   */
  async enter<Prepared, Taken>(
    prepare: () => Promise<Prepared>,
    take: (prepared: Prepared) => Promise<Taken> | undefined,
    signal: AbortSignal,
  ): Promise<Taken> {
    const place = {};
    let taking: Promise<Taken> | undefined;
    this.#places.add(place);
    try {
      const prepared = await prepare();
      for (;;) {
        const [first] = this.#places;
        if (first === place) taking = take(prepared);
        if (taking !== undefined) break;
        await this.#nextChange(signal);
      }
    } finally {
      this.#places.delete(place);
      this.advance();
    }
    return taking;
  }

  /** To be called when a slot was released. */
  advance(): void {
    for (const wake of this.#waiting) wake();
  }

  async #nextChange(signal: AbortSignal): Promise<void> {
    let wake = (): void => {};
    const changed = new Promise<void>((resolve) => {
      wake = resolve;
    });
    this.#waiting.add(wake);
    await abortable(changed, signal).finally(() => this.#waiting.delete(wake));
  }
}
