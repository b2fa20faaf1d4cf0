import { createHash } from 'node:crypto';
import { formatLinkCode, newLinkCode } from './link-code.ts';

const lifetimeMs = 10 * 60_000;
/** If there are more codes, the oldest ones become invalid. */
const maxOffers = 10;

/** Unused codes, kept as hashes in memory: a restart of the server invalidates them. */
export class LinkOffers {
  readonly #now: () => number;
  /** Expiry times of the codes by hash, oldest first. */
  readonly #ends = new Map<string, number>();

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /** Creates a code. @param fingerprint Fingerprint of this machine's key. */
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

  /** Time until the last code expires; 0 if there is none. */
  get openMs(): number {
    return Math.max(0, ...[...this.#ends.values()].map((end) => end - this.#now()));
  }
}

function hash(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}
