export interface Paced {
  /** Requests a call. */
  readonly request: () => void;
  /** Cancels the requested call. */
  readonly cancel: () => void;
}

/** A moment in which the page was busy with something else must not stop the text for long. */
const longestWaitMs = 500;

/**
 * Calls a function soon after each request, at most once a frame, and so seldom that it takes no more than a fifth of the
 * time, rendering and painting included.
 */
export function paced(show: () => void, frame = requestAnimationFrame): Paced {
  let isRequested = false;
  let isWaiting = false;
  const run = () => {
    const startedAt = performance.now();
    if (isRequested) show();
    isRequested = false;
    // This task follows the painting of the frame.
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
