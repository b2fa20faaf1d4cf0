/** Time of one slice, in milliseconds; the browser handles input between two. */
const sliceMs = 8;

const waiting = new Set<() => void>();

/**
 * Loads and does work that the page can wait for, such as the colours of code: many pieces of it do not block the page.
 *
 * @param load gives the work. If it fails, the work is left out.
 * @returns cancels the work.
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
