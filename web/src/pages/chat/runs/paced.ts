export interface Paced {
  /** Asks for a call. */
  readonly request: () => void;
  /** Takes back what was asked for. */
  readonly cancel: () => void;
}

/**
 * Calls a function soon after each request, at most once a frame, and so seldom that it takes no more than a third of the
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
      setTimeout(() => {
        isWaiting = false;
        if (isRequested) request();
      }, 2 * tookMs);
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
