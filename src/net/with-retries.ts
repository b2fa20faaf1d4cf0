import { setTimeout as delay } from 'node:timers/promises';
import { isTransient, retryDelayMs } from './retry-delay.ts';

export interface RetryPolicy {
  /** Attempts that bring nothing, one after the other, before it fails. */
  readonly maxFailures: number;
  /** How long to wait after a failure; `attempt` counts from 0. `retryDelayMs` unless given. */
  readonly delayMs?: typeof retryDelayMs;
  /** Whoever wants to be left alone for longer has failed. */
  readonly maxDelayMs?: number;
  /** Returns after that time, or when the signal is aborted. */
  readonly wait?: (ms: number, signal: AbortSignal) => Promise<void>;
}

interface Retries<Result> {
  readonly attempt: () => Promise<Result>;
  /** Something that grows when an attempt brings something: such attempts don't count. */
  readonly progress?: () => number;
  readonly policy: RetryPolicy;
  readonly signal: AbortSignal;
}

/**
 * Repeats an attempt while it fails in a way that may pass.
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
  // What ends it is the signal, whose own reason the caller throws.
  await delay(ms, undefined, { signal }).catch(() => {});
}
