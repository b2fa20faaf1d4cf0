/** Failures in a row after which a replica is left alone. */
const maxFailures = 3;
const firstPauseMs = 1000;
const maxPauseMs = 60_000;

type CircuitState = 'closed' | 'open' | 'half-open';

/**
 * A circuit breaker: after repeated failures it lets nothing through for a while (`open`), then one request as a
 * probe (`half-open`), whose outcome closes it or opens it for twice as long.
 */
export class Circuit {
  readonly #now: () => number;
  #failures = 0;
  #pauseMs = firstPauseMs;
  #opensUntil = 0;
  #isProbing = false;

  /** @param now The present time in milliseconds. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  get state(): CircuitState {
    if (this.#failures < maxFailures) return 'closed';
    return this.#isProbing || this.#now() >= this.#opensUntil ? 'half-open' : 'open';
  }

  /** Whether a request may be sent now. */
  get isPassable(): boolean {
    return this.state === 'closed' || (this.state === 'half-open' && !this.#isProbing);
  }

  /** Milliseconds until a request may be sent; 0: now. */
  get waitMs(): number {
    if (this.isPassable) return 0;
    return this.#isProbing ? firstPauseMs : Math.max(0, this.#opensUntil - this.#now());
  }

  /** Call before a request. */
  begin(): void {
    if (this.state === 'half-open') this.#isProbing = true;
  }

  succeed(): void {
    this.#failures = 0;
    this.#pauseMs = firstPauseMs;
    this.#isProbing = false;
  }

  fail(): void {
    this.#failures += 1;
    if (this.#failures < maxFailures) return;
    if (this.#failures > maxFailures) this.#pauseMs = Math.min(maxPauseMs, this.#pauseMs * 2);
    this.#opensUntil = this.#now() + this.#pauseMs;
    this.#isProbing = false;
  }

  /** Call after a request that says nothing about the replica, such as one that its client cancelled. */
  cancel(): void {
    this.#isProbing = false;
  }
}
