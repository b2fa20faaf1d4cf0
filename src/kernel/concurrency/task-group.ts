import { linkAbort } from './linked-abort.ts';

/**
 * Runs all tasks at once. The first failure aborts the signal of the others; the group settles only when every
 * task has ended.
 *
 * @returns The results in the order of the tasks.
 * @throws The first failure.
 */
export async function runTaskGroup<Result>(
  signal: AbortSignal,
  tasks: readonly ((signal: AbortSignal) => Promise<Result>)[],
): Promise<readonly Result[]> {
  const group = linkAbort(signal);
  let failure: { readonly error: unknown } | undefined;
  try {
    const settled = await Promise.allSettled(
      tasks.map(async (task) => {
        try {
          return await task(group.signal);
        } catch (error) {
          failure ??= { error };
          group.abort(error);
          throw error;
        }
      }),
    );
    if (failure !== undefined) throw failure.error;
    return settled.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
  } finally {
    group.dispose();
  }
}
