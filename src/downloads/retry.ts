import { setTimeout as delay } from 'node:timers/promises';
import { isPassing, retryDelayMs } from '../net/retry-delay.ts';

export interface RetryPolicy {
  /** Attempts that bring nothing, one after the other, before it fails. */
  readonly maximumFailures: number;
  /** How long to wait after a failure; `attempt` counts from 0. */
  readonly delayMs: typeof retryDelayMs;
}

export const defaultRetryPolicy: RetryPolicy = { maximumFailures: 6, delayMs: retryDelayMs };

/**
 * Repeats an attempt while it fails in a way that may pass. Attempts that made progress don't count.
 *
 * @param progress Something that grows when an attempt brings something.
 * @throws The last attempt's error; the signal's reason when aborted.
 */
export async function withRetries(
  attempt: () => Promise<void>,
  progress: () => number,
  policy: RetryPolicy,
  signal: AbortSignal,
): Promise<void> {
  for (let failures = 0; ;) {
    const before = progress();
    try {
      await attempt();
      return;
    } catch (error) {
      signal.throwIfAborted();
      failures = progress() > before ? 1 : failures + 1;
      if (!isPassing(error) || failures >= policy.maximumFailures) throw error;
      await delay(policy.delayMs(error, failures - 1), undefined, { signal }).catch(() => {});
      signal.throwIfAborted();
    }
  }
}
