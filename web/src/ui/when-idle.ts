/** Time that the first view has to load and show its data, which other work would delay. */
const firstViewMs = 500;

/** Runs what the first view does not need after it. Safari has no `requestIdleCallback`. */
export function whenIdle(run: () => void): void {
  setTimeout(() => {
    if ('requestIdleCallback' in globalThis) requestIdleCallback(run, { timeout: 2000 });
    else run();
  }, firstViewMs);
}
