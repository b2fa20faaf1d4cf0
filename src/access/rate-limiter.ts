import { HearthError } from '../kernel/errors/errors.ts';
import type {
  RateDecision,
  RateLimitRepository,
  RateLimits,
} from '../store/shared/rate-limit-repository.ts';

interface RateLimiterOptions {
  readonly store: RateLimitRepository;
  /** Limits of tokens that have none of their own. */
  readonly defaults: RateLimits;
  /** Called if used tokens could not be counted. */
  readonly onError: (error: unknown) => void;
}

/** Limits the requests and tokens of a minute of each API token, over all servers of the database. */
export class RateLimiter {
  readonly #options: RateLimiterOptions;

  constructor(options: RateLimiterOptions) {
    this.#options = options;
  }

  /** The limits of a token; undefined if it has none. */
  limitsOf(own: RateLimits): RateLimits | undefined {
    const { defaults } = this.#options;
    const requestsPerMinute = own.requestsPerMinute ?? defaults.requestsPerMinute;
    const tokensPerMinute = own.tokensPerMinute ?? defaults.tokensPerMinute;
    if (requestsPerMinute === null && tokensPerMinute === null) return undefined;
    return { requestsPerMinute, tokensPerMinute };
  }

  /** Counts a request, unless a limit is reached: then `waitMs` is present. */
  admit(tokenId: string, limits: RateLimits): Promise<RateDecision> {
    return this.#options.store.admit(tokenId, limits);
  }

  /** Counts tokens that were used. */
  async charge(tokenId: string, tokens: number, { tokensPerMinute }: RateLimits): Promise<void> {
    if (tokensPerMinute === null || tokens === 0) return;
    const { store, onError } = this.#options;
    await store.charge(tokenId, tokens, tokensPerMinute).catch(onError);
  }
}

/** The error of a request that exceeds a limit. */
export function rateLimitError({ requests, tokens, waitMs = 0 }: RateDecision): HearthError {
  const used = requests?.remaining === 0 ? requests : (tokens ?? requests);
  const unit = used === requests ? 'requests' : 'tokens';
  const retryAfterSeconds = waitMs / 1000;
  return new HearthError(
    'rate_limit_exceeded',
    `The token has used its ${used?.limit ?? 0} ${unit} per minute. Try again in ${Math.ceil(retryAfterSeconds)} s.`,
    { retryAfterSeconds },
  );
}
