import { type RateLimiter, rateLimitError } from '../../../access/rate-limiter.ts';
import type { RequestRecord } from '../../../kernel/request/request-record.ts';
import type { ServerEvent } from '../../../kernel/events/server-event.ts';
import type { ServerEvents } from '../../../kernel/events/server-events.ts';
import {
  limitNames,
  type LimitName,
  type RateDecision,
  type RateLimits,
  type RateState,
} from '../../../store/shared/rate-limit-repository.ts';
import type { Principal } from './principal.ts';

/** Applies the rate limits of tokens to requests, and counts the generated tokens. */
export class RateGate {
  readonly #limiter: RateLimiter;
  /** Limits of admitted requests, including those that continue in the background. */
  readonly #passed = new WeakMap<RequestRecord, { readonly tokenId: string } & RateLimits>();

  /** Starts to count generated tokens with the first request that has limits. */
  readonly #startCounting: () => void;
  #isCounting = false;

  constructor(limiter: RateLimiter, events: Pick<ServerEvents, 'subscribe'>) {
    this.#limiter = limiter;
    this.#startCounting = () => void events.subscribe((event) => this.#count(event));
  }

  /**
   * Counts a request, or refuses it.
   *
   * @param onDecision Called with the remaining limits, for the headers of the response.
   * @throws HearthError `rate_limit_exceeded`.
   */
  async pass(
    { tokenId, rateLimits }: Principal,
    record: RequestRecord,
    onDecision: (decision: RateDecision) => void,
  ): Promise<void> {
    const limits = rateLimits && this.#limiter.limitsOf(rateLimits);
    if (tokenId === null || limits === undefined) return;
    const decision = await this.#limiter.admit(tokenId, limits);
    onDecision(decision);
    const error = rateLimitError(decision);
    if (error !== undefined) throw error;
    if (!this.#isCounting) {
      this.#isCounting = true;
      this.#startCounting();
    }
    this.#passed.set(record, { tokenId, ...limits });
  }

  /** Counts the tokens of an admitted request's generations. */
  #count(event: ServerEvent): void {
    if (event.type !== 'generation.ended') return;
    const passed = this.#passed.get(event.record);
    if (passed === undefined) return;
    const { prompt, completion } = event.generation.tokens;
    void this.#limiter.charge(passed.tokenId, prompt + completion, passed);
  }
}

/** Headers from which clients of OpenAI or Anthropic read their token's remaining limits. */
export function rateLimitHeaders(
  { states, refusal }: RateDecision,
  style: 'openai' | 'anthropic',
  now = Date.now(),
): Readonly<Record<string, string>> {
  const ofKind = style === 'anthropic' ? anthropicHeaders : openAiHeaders;
  const headers = limitNames.map((name) => {
    const state = states[name];
    return state === undefined ? {} : ofKind(headerKinds[name], state, now);
  });
  return Object.assign(
    refusal === undefined ? {} : { 'Retry-After-Ms': String(Math.ceil(refusal.waitMs)) },
    ...headers,
  );
}

/** OpenAI and Anthropic have no headers for daily limits; Cerebras uses the suffix `-day`. */
const headerKinds: Readonly<Record<LimitName, string>> = {
  requestsPerMinute: 'requests',
  tokensPerMinute: 'tokens',
  requestsPerDay: 'requests-day',
  tokensPerDay: 'tokens-day',
};

/** https://platform.openai.com/docs/guides/rate-limits#rate-limits-in-headers */
function openAiHeaders(kind: string, { limit, remaining, resetMs }: RateState) {
  return {
    [`X-RateLimit-Limit-${kind}`]: String(limit),
    [`X-RateLimit-Remaining-${kind}`]: String(remaining),
    [`X-RateLimit-Reset-${kind}`]:
      resetMs < 1000 ? `${Math.ceil(resetMs)}ms` : `${resetMs / 1000}s`,
  };
}

/** https://docs.anthropic.com/en/api/rate-limits#response-headers */
function anthropicHeaders(kind: string, { limit, remaining, resetMs }: RateState, now: number) {
  return {
    [`Anthropic-RateLimit-${kind}-Limit`]: String(limit),
    [`Anthropic-RateLimit-${kind}-Remaining`]: String(remaining),
    [`Anthropic-RateLimit-${kind}-Reset`]: new Date(now + resetMs).toISOString(),
  };
}
