/**
 * Runs all at once; the first failure stops the others, and it returns only when all have ended.
 *
 * @throws The first failure.
 */
export async function runTaskGroup(
  signal: AbortSignal,
  tasks: readonly ((stop: AbortSignal) => Promise<void>)[],
): Promise<void> {
  const stopping = new AbortController();
  const stop = (): void => stopping.abort(signal.reason);
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop);
  let failure: { readonly error: unknown } | undefined;
  try {
    await Promise.all(
      tasks.map(async (task) => {
        try {
          await task(stopping.signal);
        } catch (error) {
          failure ??= { error };
          stopping.abort(error);
        }
      }),
    );
  } finally {
    signal.removeEventListener('abort', stop);
  }
  if (failure !== undefined) throw failure.error;
}
