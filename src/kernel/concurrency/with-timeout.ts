import { abortable } from './abortable.ts';
import { linkAbort } from './linked-abort.ts';

/** The task took longer than its limit. */
export class TimeoutError extends Error {
  override readonly name = 'TimeoutError';
}

/**
 * Runs a task with a time limit. The task's signal aborts with the outer signal or when the time is
 * up; the function then does not wait for the task.
 *
 * @throws TimeoutError; the outer signal's reason when aborted; the task's own errors.
 */
export async function withTimeout<Result>(
  timeoutMs: number,
  outer: AbortSignal,
  task: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  outer.throwIfAborted();
  const link = linkAbort(outer);
  const timer = setTimeout(
    () => link.abort(new TimeoutError(`not done in ${timeoutMs} ms`)),
    timeoutMs,
  );
  try {
    return await abortable(task(link.signal), link.signal);
  } catch (error) {
    // A task that ends because of the signal may throw an error of its own.
    throw link.signal.aborted ? link.signal.reason : error;
  } finally {
    clearTimeout(timer);
    link.dispose();
  }
}
