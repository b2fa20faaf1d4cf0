import { HearthError } from '../kernel/errors/errors.ts';
import { formatDuration } from '../kernel/format.ts';
import {
  limitNames,
  type RateDecision,
  type RateLimitRepository,
  type RateLimits,
} from '../store/shared/rate-limit-repository.ts';

interface RateLimiterOptions {
  readonly store: RateLimitRepository;
  /** Limits of tokens without their own. */
  readonly defaults: RateLimits;
  /** Called if generated tokens could not be counted. */
  readonly onError: (error: unknown) => void;
}

/** Limits the requests and tokens of each API token per minute and per day, across all servers of the database. */
export class RateLimiter {
  readonly #options: RateLimiterOptions;

  constructor(options: RateLimiterOptions) {
    this.#options = options;
  }

  /** The limits of a token, including the defaults; undefined if nothing is limited. */
  limitsOf(own: RateLimits): RateLimits | undefined {
    const { defaults } = this.#options;
    const limits: RateLimits = {
      requestsPerMinute: own.requestsPerMinute ?? defaults.requestsPerMinute,
      tokensPerMinute: own.tokensPerMinute ?? defaults.tokensPerMinute,
      requestsPerDay: own.requestsPerDay ?? defaults.requestsPerDay,
      tokensPerDay: own.tokensPerDay ?? defaults.tokensPerDay,
    };
    return limitNames.every((name) => limits[name] === null) ? undefined : limits;
  }

  /** Counts a request unless a limit is reached; `refusal` is present then. */
  admit(tokenId: string, limits: RateLimits): Promise<RateDecision> {
    return this.#options.store.admit(tokenId, limits);
  }

  /** Counts generated tokens. */
  async charge(tokenId: string, tokens: number, limits: RateLimits): Promise<void> {
    if (tokens === 0) return;
    if (limits.tokensPerMinute === null && limits.tokensPerDay === null) return;
    const { store, onError } = this.#options;
    await store.charge(tokenId, tokens, limits).catch(onError);
  }
}

/** The error of a refused request; undefined if the request was admitted. */
export function rateLimitError({ states, refusal }: RateDecision): HearthError | undefined {
  if (refusal === undefined) return undefined;
  const { by, waitMs } = refusal;
  const unit = by.startsWith('requests') ? 'requests' : 'tokens';
  const isOfDay = by.endsWith('Day');
  const retryAfterSeconds = waitMs / 1000;
  const retry = isOfDay
    ? `The next day begins at 00:00 UTC, in ${formatDuration(retryAfterSeconds)}.`
    : `Try again in ${Math.ceil(retryAfterSeconds)} s.`;
  const limit = `${states[by]?.limit ?? 0} ${unit} per ${isOfDay ? 'day' : 'minute'}`;
  return new HearthError('rate_limit_exceeded', `The token has used its ${limit}. ${retry}`, {
    retryAfterSeconds,
  });
}
