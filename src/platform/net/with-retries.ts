import { setTimeout as delay } from 'node:timers/promises';
import { isTransient, retryDelayMs } from './retry-delay.ts';

export interface RetryPolicy {
  /** Number of consecutive attempts without progress after which the last error is thrown. */
  readonly maxFailures: number;
  /** Delay after a failure; `attempt` counts from 0. Defaults to `retryDelayMs`. */
  readonly delayMs?: typeof retryDelayMs;
  /** If the delay would be longer, the last error is thrown. */
  readonly maxDelayMs?: number;
  /** Waits; settles after the time or when the signal aborts. */
  readonly wait?: (ms: number, signal: AbortSignal) => Promise<void>;
}

interface Retries<Result> {
  readonly attempt: () => Promise<Result>;
  /** A number that grows with progress. Failures after progress are not counted. */
  readonly progress?: () => number;
  readonly policy: RetryPolicy;
  readonly signal: AbortSignal;
}

/**
 * Repeats an attempt while it fails with a transient error.
 *
 * @throws The last attempt's error; the signal's reason when aborted.
 */
export async function withRetries<Result>(retries: Retries<Result>): Promise<Result> {
  const { attempt, progress = () => 0, policy, signal } = retries;
  const { maxFailures, delayMs = retryDelayMs, maxDelayMs = Infinity } = policy;
  const { wait = sleep } = policy;
  for (let failures = 0; ;) {
    const before = progress();
    try {
      return await attempt();
    } catch (error) {
      signal.throwIfAborted();
      failures = progress() > before ? 1 : failures + 1;
      if (!isTransient(error) || failures >= maxFailures) throw error;
      const waitMs = delayMs(error, failures - 1);
      if (waitMs > maxDelayMs) throw error;
      await wait(waitMs, signal);
      signal.throwIfAborted();
    }
  }
}

async function sleep(ms: number, signal: AbortSignal): Promise<void> {
  // The delay rejects only if the signal aborts; the caller then throws the signal's reason.
  await delay(ms, undefined, { signal }).catch(() => {});
}
