/** Duration of one slice, in milliseconds; the browser handles input between slices. */
const sliceMs = 8;

const waiting = new Set<() => void>();

/**
 * Runs work that is not urgent, such as highlighting code, without blocking the page.
 *
 * @param load Loads the work; if that fails, the work is left out.
 * @returns A function that cancels the work.
 */
export function inSlices(load: () => Promise<() => void>): () => void {
  let isCancelled = false;
  let work: (() => void) | undefined;
  const add = async () => {
    work = await load();
    if (isCancelled) return;
    waiting.add(work);
    if (waiting.size === 1) setTimeout(runSlice);
  };
  add().catch(() => undefined);
  return () => {
    isCancelled = true;
    if (work !== undefined) waiting.delete(work);
  };
}

function runSlice(): void {
  const end = performance.now() + sliceMs;
  try {
    for (const work of waiting) {
      waiting.delete(work);
      work();
      if (performance.now() >= end) break;
    }
  } finally {
    if (waiting.size > 0) setTimeout(runSlice);
  }
}
