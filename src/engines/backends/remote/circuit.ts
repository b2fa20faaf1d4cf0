/** Consecutive failures after which the replica is asked for its health. */
const maxFailures = 3;
const firstPauseMs = 1000;
const maxPauseMs = 10_000;

export type CircuitState = 'closed' | 'open' | 'half-open';

export interface CircuitOptions {
  /** Asks the replica for its health. Never rejects. */
  readonly isHealthy: () => Promise<boolean>;
  /** Ends the health checks. */
  readonly signal: AbortSignal;
}

/** Sends a request that only a working engine can answer; true if it does. Never rejects. */
export type EngineTest = () => Promise<boolean>;

/**
 * A circuit breaker. After repeated failures, asks the replica for its health, since the requests themselves may have
 * caused the failures. An unhealthy replica gets no requests (`open`), and is asked again after each pause
 * (`half-open`) until it is healthy.
 */
export class Circuit {
  readonly #options: CircuitOptions;
  #state: CircuitState = 'closed';
  #failures = 0;
  #pauseMs = firstPauseMs;
  #asksAtMs = 0;
  #pause: NodeJS.Timeout | undefined;
  #isAsking = false;
  #engineTest: EngineTest | undefined;

  constructor(options: CircuitOptions) {
    this.#options = options;
    options.signal.addEventListener('abort', () => clearTimeout(this.#pause), { once: true });
  }

  get state(): CircuitState {
    return this.#state;
  }

  /** True if the replica's last request failed. */
  get hasFailed(): boolean {
    return this.#failures > 0 || this.#state !== 'closed';
  }

  /** Milliseconds until the replica is asked again; 0 if requests may be sent. */
  get waitMs(): number {
    return this.#state === 'closed' ? 0 : Math.max(0, this.#asksAtMs - performance.now());
  }

  succeed(): void {
    this.#close();
  }

  fail(): void {
    this.#failures += 1;
    if (this.#state === 'closed' && this.#failures >= maxFailures) void this.#ask();
  }

  /** Notes that the replica is silent, even if it reports good health. It gets no requests until the test succeeds. */
  hang(test: EngineTest): void {
    this.#engineTest = test;
    if (this.#state === 'closed') this.#open();
  }

  async #ask(): Promise<void> {
    if (this.#isAsking) return;
    this.#isAsking = true;
    const isHealthy = (await this.#options.isHealthy()) && ((await this.#engineTest?.()) ?? true);
    this.#isAsking = false;
    if (this.#options.signal.aborted) return;
    if (isHealthy) this.#close();
    else this.#open();
  }

  #open(): void {
    this.#state = 'open';
    this.#asksAtMs = performance.now() + this.#pauseMs;
    this.#pause = setTimeout(() => {
      this.#state = 'half-open';
      void this.#ask();
    }, this.#pauseMs).unref();
    this.#pauseMs = Math.min(maxPauseMs, this.#pauseMs * 2);
  }

  #close(): void {
    clearTimeout(this.#pause);
    this.#state = 'closed';
    this.#failures = 0;
    this.#engineTest = undefined;
    this.#pauseMs = firstPauseMs;
  }
}
