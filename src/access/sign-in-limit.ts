import { HearthError } from '../kernel/errors/errors.ts';

/** Number of failed attempts that a client can make at once. One more is allowed every six seconds. */
const maxFailures = 10;
const recoveryMs = 6000;
const maxClients = 1000;

/** Slows down clients that guess codes and tokens. Successful sign-ins do not count. */
export class SignInLimit {
  readonly #now: () => number;
  /** Time until which a client's failures count. Clients are ordered by their latest failure. */
  readonly #countedUntil = new Map<string, number>();

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /** @throws HearthError `rate_limit_exceeded` */
  check(client: string): void {
    const waitMs = this.#leftMs(client) - (maxFailures - 1) * recoveryMs;
    if (waitMs <= 0) return;
    const retryAfterSeconds = waitMs / 1000;
    throw new HearthError(
      'rate_limit_exceeded',
      `Too many attempts to sign in have failed. Try again in ${Math.ceil(retryAfterSeconds)} s.`,
      { retryAfterSeconds },
    );
  }

  addFailure(client: string): void {
    const countedUntil = this.#now() + this.#leftMs(client) + recoveryMs;
    this.#countedUntil.delete(client);
    this.#countedUntil.set(client, countedUntil);
    const [oldest] = this.#countedUntil.keys();
    if (this.#countedUntil.size > maxClients && oldest !== undefined) {
      this.#countedUntil.delete(oldest);
    }
  }

  #leftMs(client: string): number {
    return Math.max(0, (this.#countedUntil.get(client) ?? 0) - this.#now());
  }
}
