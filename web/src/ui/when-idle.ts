/** Time in which the first view loads and shows its data, which other work would delay. */
const firstViewMs = 500;

/** Runs work after the first view. Safari has no `requestIdleCallback`. */
export function whenIdle(run: () => void): void {
  setTimeout(() => {
    if ('requestIdleCallback' in globalThis) requestIdleCallback(run, { timeout: 2000 });
    else run();
  }, firstViewMs);
}
