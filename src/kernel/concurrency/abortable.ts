/**
 * Waits for a promise until the signal aborts.
 *
 * @throws The signal's reason when aborted; the promise's rejection.
 */
export async function abortable<Result>(
  promise: Promise<Result>,
  signal: AbortSignal,
): Promise<Result> {
  // Prevents an unhandled rejection if the promise rejects after the abort.
  promise.catch(() => {});
  signal.throwIfAborted();
  let abandon = (): void => {};
  const aborted = new Promise<never>((_, reject) => {
    abandon = () => reject(signal.reason);
    signal.addEventListener('abort', abandon, { once: true });
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', abandon);
  }
}
