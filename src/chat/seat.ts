import type { AcquireEvent, AcquireOptions, Lease } from '../instances/lease.ts';
import type { InstancePool } from '../instances/pool.ts';

/**
 * Where one request generates, perhaps more than once. The first generation chooses the instance, which stays
 * for the later ones; between them its slots are for others.
 */
export class Seat {
  readonly #pool: InstancePool;
  readonly #left = new AbortController();
  readonly #signal: AbortSignal;
  #leasing: Promise<Lease> | undefined;
  #lease: Lease | undefined;

  /** @param signal Of the one that asks. */
  constructor(pool: InstancePool, signal: AbortSignal) {
    this.#pool = pool;
    this.#signal = AbortSignal.any([signal, this.#left.signal]);
  }

  /** Aborts when the one that asks goes, or when the instance does; the reason is the error to answer with. */
  get signal(): AbortSignal {
    return this.#lease?.signal ?? this.#signal;
  }

  /**
   * Takes a slot for a generation; the options are for the first one, which chooses.
   *
   * @throws HearthError those of `InstancePool.acquire`; the signal's reason.
   */
  async take(options: AcquireOptions, onEvent: (event: AcquireEvent) => void): Promise<Lease> {
    if (this.#lease !== undefined) {
      await this.#lease.resume(options.caller ?? '');
      return this.#lease;
    }
    this.#leasing = this.#pool.acquire(options, this.#signal, onEvent);
    this.#lease = await this.#leasing;
    return this.#lease;
  }

  /** Gives the slot back until the next generation. */
  rest(): void {
    this.#lease?.pause();
  }

  /** Gives everything back, at whatever point; nothing can be taken afterwards. */
  leave(): void {
    this.#left.abort();
    this.#leasing?.then(
      (lease) => lease.release(),
      () => {},
    );
  }
}
