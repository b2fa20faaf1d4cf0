import { describe, expect, it } from 'vitest';
import { HttpFailure } from './http-failure.ts';
import { withRetries, type RetryPolicy } from './with-retries.ts';

const passing = () => new HttpFailure('interrupted', 'broke off');
const { signal } = new AbortController();

/** Runs attempts that end like this, one after the other; returns the delays. */
async function run(
  outcomes: readonly (Error | string)[],
  policy: Partial<RetryPolicy> = {},
  progress?: () => number,
) {
  const waits: number[] = [];
  let attempts = 0;
  const result = await withRetries({
    attempt: async () => {
      const outcome = outcomes[attempts];
      attempts += 1;
      if (outcome instanceof Error) throw outcome;
      return outcome;
    },
    ...(progress === undefined ? {} : { progress }),
    policy: {
      maxFailures: 3,
      delayMs: (_, attempt) => 10 ** attempt,
      wait: async (ms) => void waits.push(ms),
      ...policy,
    },
    signal,
  }).catch((error: unknown) => error);
  return { result, waits, attempts };
}

describe('withRetries', () => {
  it('returns the result of the first successful attempt, with growing delays', async () => {
    expect(await run(['done'])).toEqual({ result: 'done', waits: [], attempts: 1 });
    expect(await run([passing(), passing(), 'done'])).toEqual({
      result: 'done',
      waits: [1, 10],
      attempts: 3,
    });
  });

  it('throws the last error after the maximum number of attempts', async () => {
    const last = passing();
    expect(await run([passing(), passing(), last, 'done'])).toEqual({
      result: last,
      waits: [1, 10],
      attempts: 3,
    });
  });

  it('does not retry permanent failures', async () => {
    const fatal = new HttpFailure('status', '404', { status: 404 });
    expect(await run([fatal, 'done'])).toEqual({ result: fatal, waits: [], attempts: 1 });
    const other = new Error('other');
    expect(await run([passing(), other, 'done'])).toMatchObject({ result: other, attempts: 2 });
  });

  it('resets the count after an attempt with progress', async () => {
    // Received before and after each attempt: the first and the third brought something.
    const looks = [0, 5, 5, 5, 5, 9, 9, 9, 9];
    const progress = () => looks.shift() ?? 9;
    const outcomes = [passing(), passing(), passing(), passing(), 'done'];
    expect(await run(outcomes, { maxFailures: 3 }, progress)).toMatchObject({
      result: 'done',
      waits: [1, 10, 1, 10],
    });
  });

  it('fails if the requested delay exceeds the limit', async () => {
    const delayMs = () => 500;
    expect(await run([passing(), 'done'], { delayMs, maxDelayMs: 500 })).toMatchObject({
      result: 'done',
      waits: [500],
    });
    const failure = passing();
    expect(await run([failure, 'done'], { delayMs, maxDelayMs: 499 })).toEqual({
      result: failure,
      waits: [],
      attempts: 1,
    });
  });

  it('waits for the requested time unless overridden', async () => {
    const asking = new HttpFailure('status', '429', {
      status: 429,
      headers: { 'retry-after': '7' },
    });
    const waits: number[] = [];
    let isFirst = true;
    await withRetries({
      attempt: async () => {
        if (!isFirst) return;
        isFirst = false;
        throw asking;
      },
      policy: { maxFailures: 2, wait: async (ms) => void waits.push(ms) },
      signal,
    });
    expect(waits).toEqual([7000]);
  });
});

describe('a signal', () => {
  const reason = new Error('stopped');

  it('that aborts during an attempt replaces its error, without a delay', async () => {
    const controller = new AbortController();
    let attempts = 0;
    const work = withRetries({
      attempt: async () => {
        attempts += 1;
        controller.abort(reason);
        throw passing();
      },
      policy: { maxFailures: 3, wait: () => Promise.reject(new Error('waited')) },
      signal: controller.signal,
    });
    await expect(work).rejects.toBe(reason);
    expect(attempts).toBe(1);
  });

  it('ends the wait at once', async () => {
    const controller = new AbortController();
    let attempts = 0;
    const work = withRetries({
      attempt: async () => {
        attempts += 1;
        setImmediate(() => controller.abort(reason));
        throw passing();
      },
      // Longer than a test may take.
      policy: { maxFailures: 3, delayMs: () => 10 ** 8 },
      signal: controller.signal,
    });
    await expect(work).rejects.toBe(reason);
    expect(attempts).toBe(1);
  });

  it('does not affect an attempt that succeeds', async () => {
    const controller = new AbortController();
    const work = withRetries({
      attempt: async () => {
        controller.abort(reason);
        return 'done';
      },
      policy: { maxFailures: 3 },
      signal: controller.signal,
    });
    expect(await work).toBe('done');
  });
});
