import { HttpFailure } from './http-failure.ts';

const firstDelayMs = 500;
const maxDelayMs = 30_000;
/** Maximum `Retry-After` to obey. */
const maxRetryAfterMs = 60_000;

/** True if a retry may succeed: after a timeout, a lost connection, 408, 429 and 5xx. */
export function isTransient(error: unknown): error is HttpFailure {
  if (!(error instanceof HttpFailure)) return false;
  const { reason, status } = error;
  if (status !== undefined) return status === 408 || status === 429 || status >= 500;
  return reason === 'unreachable' || reason === 'interrupted' || reason === 'timeout';
}

/**
 * The delay before a retry: the server's `Retry-After` up to a maximum, or else exponential backoff with jitter.
 *
 * @param attempt 0 after the first attempt.
 * @param chance Random number from 0 to 1 for the jitter.
 */
export function retryDelayMs(
  failure: HttpFailure,
  attempt: number,
  chance: number = Math.random(),
): number {
  const requestedMs = retryAfterMs(failure.headers['retry-after']);
  if (requestedMs !== undefined) return Math.min(requestedMs, maxRetryAfterMs);
  const longestMs = Math.min(firstDelayMs * 2 ** attempt, maxDelayMs);
  return Math.round(longestMs * (0.5 + chance / 2));
}

/** Parses `Retry-After`, seconds or a date (RFC 9110, 10.2.3), as milliseconds from now. */
export function retryAfterMs(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}
