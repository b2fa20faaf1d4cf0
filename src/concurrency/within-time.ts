/** The work took longer than its limit. */
export class TimeLimitError extends Error {
  override readonly name = 'TimeLimitError';
}

/**
 * Waits for the work no longer than the limit. The work's signal ends with the outer one and with the limit; it
 * is not waited for then.
 *
 * @throws TimeLimitError; the outer signal's reason when aborted; what the work throws.
 */
export async function withinTime<Result>(
  limitMs: number,
  outer: AbortSignal,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  outer.throwIfAborted();
  const controller = new AbortController();
  const { signal } = controller;
  const follow = (): void => controller.abort(outer.reason);
  outer.addEventListener('abort', follow, { once: true });
  const timer = setTimeout(() => controller.abort(new TimeLimitError()), limitMs);
  try {
    return await Promise.race([
      work(signal),
      new Promise<never>((_, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      }),
    ]);
  } catch (error) {
    // Work that ends because of the signal may say so in its own words.
    throw signal.aborted ? signal.reason : error;
  } finally {
    clearTimeout(timer);
    outer.removeEventListener('abort', follow);
  }
}
