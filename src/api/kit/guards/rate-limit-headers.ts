import type { RateDecision, RateState } from '../../../store/shared/rate-limit-repository.ts';

/** Headers in which the clients of OpenAI or Anthropic read what is left of the limits of their token. */
export function rateLimitHeaders(
  { requests, tokens, waitMs }: RateDecision,
  style: 'openai' | 'anthropic',
  now = Date.now(),
): Readonly<Record<string, string>> {
  const ofKind = style === 'anthropic' ? anthropicHeaders : openAiHeaders;
  return {
    ...(requests === undefined ? {} : ofKind('requests', requests, now)),
    ...(tokens === undefined ? {} : ofKind('tokens', tokens, now)),
    ...(waitMs === undefined ? {} : { 'Retry-After-Ms': String(Math.ceil(waitMs)) }),
  };
}

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
