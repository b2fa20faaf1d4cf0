/**
 * Returns a function whose callers share runs of `work`. A call joins the run that starts next, never one that has
 * already started, so its result includes everything that happened before the call.
 */
export function coalesceRuns<Result>(work: () => Promise<Result>): () => Promise<Result> {
  let running: Promise<unknown> = Promise.resolve();
  let next: Promise<Result> | null = null;
  return () => {
    next ??= running.then(() => {
      next = null;
      const run = work();
      running = run.catch(() => undefined);
      return run;
    });
    return next;
  };
}
