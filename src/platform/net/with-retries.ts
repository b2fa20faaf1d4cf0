import { setTimeout as delay } from 'node:timers/promises';
import { isTransient, retryDelayMs } from './retry-delay.ts';

export interface RetryPolicy {
  /** Consecutive attempts without progress before it fails. */
  readonly maxFailures: number;
  /** Delay after a failure; `attempt` counts from 0. `retryDelayMs` by default. */
  readonly delayMs?: typeof retryDelayMs;
  /** A longer delay counts as failure. */
  readonly maxDelayMs?: number;
  /** Settles after that time, or when the signal aborts. */
  readonly wait?: (ms: number, signal: AbortSignal) => Promise<void>;
}

interface Retries<Result> {
  readonly attempt: () => Promise<Result>;
  /** A number that grows with progress. Attempts that made progress are not counted as failures. */
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
  // It rejects only when the signal aborts; the caller throws the signal's reason.
  await delay(ms, undefined, { signal }).catch(() => {});
}
