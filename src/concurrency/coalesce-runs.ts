/**
 * Lets callers share one run of `work`: a call joins the run that is about to start, never one that
 * already has, so that it sees whatever happened before it.
 */
export function coalesceRuns<Result>(work: () => Promise<Result>): () => Promise<Result> {
  let running: Promise<unknown> = Promise.resolve();
  let next: Promise<Result> | null = null;
  return () => {
    next ??= running.then(() => {
      const run = work();
      next = null;
      running = run.catch(() => undefined);
      return run;
    });
    return next;
  };
}
