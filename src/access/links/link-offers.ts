import { createHash } from 'node:crypto';
import { formatLinkCode, newLinkCode } from './link-code.ts';

const lifetimeMs = 10 * 60_000;
/** More codes end the oldest ones. */
const maxOffers = 10;

/** Codes that were offered and not used yet, as hashes. A restart of the server ends them. */
export class LinkOffers {
  readonly #now: () => number;
  /** Ends of their lifetimes, oldest first. */
  readonly #ends = new Map<string, number>();

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /** @param fingerprint of the key of this machine */
  create(fingerprint: string): { readonly code: string; readonly expiresAt: Date } {
    const code = newLinkCode(fingerprint);
    const end = this.#now() + lifetimeMs;
    this.#ends.set(hash(code.secret), end);
    const [oldest] = this.#ends.keys();
    if (this.#ends.size > maxOffers && oldest !== undefined) this.#ends.delete(oldest);
    return { code: formatLinkCode(code), expiresAt: new Date(end) };
  }

  /** Uses up a code; false if it is unknown, used or has expired. */
  take(secret: string): boolean {
    const key = hash(secret);
    const end = this.#ends.get(key) ?? 0;
    this.#ends.delete(key);
    return end > this.#now();
  }

  /** Time until the last code has expired; 0 if there is none. */
  get openMs(): number {
    return Math.max(0, ...[...this.#ends.values()].map((end) => end - this.#now()));
  }
}

function hash(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}
