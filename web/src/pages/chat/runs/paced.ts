export interface Paced {
  /** Requests a call. */
  readonly request: () => void;
  /** Cancels the requested call. */
  readonly cancel: () => void;
}

/** Limits the wait, so that the text is not stopped for long after a moment in which the page was busy. */
const longestWaitMs = 500;

/**
 * Calls a function soon after each request, but at most once per frame. Waits between calls, so that they take no more
 * than a fifth of the time, including rendering and painting.
 */
export function paced(show: () => void, frame = requestAnimationFrame): Paced {
  let isRequested = false;
  let isWaiting = false;
  const run = () => {
    const startedAt = performance.now();
    if (isRequested) show();
    isRequested = false;
    // This task runs after the frame is painted.
    setTimeout(() => {
      const tookMs = performance.now() - startedAt;
      setTimeout(
        () => {
          isWaiting = false;
          if (isRequested) request();
        },
        Math.min(4 * tookMs, longestWaitMs),
      );
    });
  };
  const request = () => {
    isRequested = true;
    if (isWaiting) return;
    isWaiting = true;
    frame(run);
  };
  return {
    request,
    cancel: () => {
      isRequested = false;
    },
  };
}
