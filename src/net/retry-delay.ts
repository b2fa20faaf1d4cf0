import { HttpFailure } from './http-failure.ts';

const firstDelayMs = 500;
const maxDelayMs = 30_000;
/** A server that asks for more than this is not waited for so long; it is asked again sooner. */
const maxAskedMs = 60_000;

/** Whether a failure is one that a new try can mend: silence, a broken connection, 408, 429 and 5xx. */
export function isTransient(error: unknown): error is HttpFailure {
  if (!(error instanceof HttpFailure)) return false;
  const { reason, status } = error;
  if (status !== undefined) return status === 408 || status === 429 || status >= 500;
  return reason === 'unreachable' || reason === 'interrupted' || reason === 'timeout';
}

/**
 * How long to wait before a request is tried again: what the server asked for within bounds, else twice as
 * long each time, between a half and the whole of it by chance.
 *
 * @param attempt 0 after the first try.
 * @param chance From 0 to 1.
 */
export function retryDelayMs(
  failure: HttpFailure,
  attempt: number,
  chance: number = Math.random(),
): number {
  const asked = retryAfterMs(failure);
  if (asked !== undefined) return Math.min(asked, maxAskedMs);
  const whole = Math.min(firstDelayMs * 2 ** attempt, maxDelayMs);
  return Math.round(whole * (0.5 + chance / 2));
}

/** Seconds or a date (RFC 9110, 10.2.3). */
function retryAfterMs({ headers }: HttpFailure): number | undefined {
  const text = headers['retry-after'];
  if (text === undefined) return undefined;
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}
