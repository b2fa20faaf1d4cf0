/**
 * Repeats work until the time is over; returns the results of all runs.
 *
 * @param work Receives the number of the run, from 0.
 */
export async function repeat<Result>(
  budgetMs: number,
  limits: { readonly atLeast: number; readonly atMost: number },
  work: (run: number) => Promise<Result>,
): Promise<readonly Result[]> {
  const endsAt = performance.now() + budgetMs;
  const results: Result[] = [];
  while (
    results.length < limits.atLeast ||
    (results.length < limits.atMost && performance.now() < endsAt)
  ) {
    results.push(await work(results.length));
  }
  return results;
}

/** Runs work `count` times, at most `width` runs concurrently. */
export async function repeatConcurrently<Result>(
  count: number,
  width: number,
  work: (run: number) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < count) {
      next += 1;
      results.push(await work(next - 1));
    }
  };
  await Promise.all(Array.from({ length: width }, worker));
  return results;
}
