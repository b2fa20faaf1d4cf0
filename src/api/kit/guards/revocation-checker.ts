import { linkAbort, type LinkedAbort } from '../../../kernel/concurrency/linked-abort.ts';
import { HearthError } from '../../../kernel/errors/errors.ts';
import type { Logger } from '../../../kernel/logger.ts';
import type { CallerIdentity } from '../../../kernel/request/request-context.ts';

interface RevocationCheckerOptions {
  /** True if a token or session may still be used; it does not count as a use. */
  readonly isValid: (identity: CallerIdentity) => Promise<boolean>;
  readonly logger: Logger;
  readonly intervalMs?: number;
}

interface WatchedCaller {
  readonly identity: CallerIdentity;
  readonly streams: Set<LinkedAbort>;
}

/** Ends streams when the token of their caller is revoked or expires. Each token is checked once for all its streams. */
export class RevocationChecker {
  readonly #options: RevocationCheckerOptions;
  readonly #callers = new Map<string, WatchedCaller>();
  #timer: NodeJS.Timeout | undefined;
  #isChecking = false;

  constructor(options: RevocationCheckerOptions) {
    this.#options = options;
  }

  /**
   * Creates the signal of a stream. It aborts with `signal`, or with `invalid_api_key`. Call `dispose` when the stream
   * has ended.
   */
  follow(identity: CallerIdentity, signal: AbortSignal): Pick<LinkedAbort, 'signal' | 'dispose'> {
    const key = `${identity.type} ${identity.id}`;
    const caller = this.#callers.get(key) ?? { identity, streams: new Set() };
    const stream = linkAbort(signal);
    caller.streams.add(stream);
    this.#callers.set(key, caller);
    this.#timer ??= setInterval(() => void this.#check(), this.#options.intervalMs ?? 1000).unref();
    return {
      signal: stream.signal,
      dispose: () => {
        stream.dispose();
        caller.streams.delete(stream);
        if (caller.streams.size === 0 && this.#callers.get(key) === caller) {
          this.#callers.delete(key);
        }
        if (this.#callers.size === 0) this.close();
      },
    };
  }

  close(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  async #check(): Promise<void> {
    if (this.#isChecking) return;
    this.#isChecking = true;
    const { isValid, logger } = this.#options;
    try {
      for (const { identity, streams } of this.#callers.values()) {
        if (await isValid(identity)) continue;
        const reason = `The ${identity.type} was revoked or has expired.`;
        for (const stream of streams) stream.abort(new HearthError('invalid_api_key', reason));
      }
    } catch (err) {
      logger.warn({ err }, 'tokens of open streams not checked');
    } finally {
      this.#isChecking = false;
    }
  }
}
