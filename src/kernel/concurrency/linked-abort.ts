/** An abort controller that aborts together with other signals. */
export interface LinkedAbort {
  readonly signal: AbortSignal;
  readonly abort: (reason?: unknown) => void;
  /** Stops following the other signals. Call it after the work: a long-lived signal references every follower. */
  readonly dispose: () => void;
}

/** Shared, since creating a stack trace for each would cost more than the abort. */
const defaultReason = new DOMException('This operation was aborted', 'AbortError');

/**
 * Returns a controller that aborts with the first of the signals, with the same reason. `AbortSignal.any` is similar,
 * but its result can't be aborted directly, and only a full garbage collection frees the objects that its listeners
 * refer to.
 */
export function linkAbort(...signals: readonly (AbortSignal | null | undefined)[]): LinkedAbort {
  const controller = new AbortController();
  const followed: (readonly [AbortSignal, () => void])[] = [];
  const dispose = (): void => {
    for (const [signal, follow] of followed.splice(0)) signal.removeEventListener('abort', follow);
  };
  const abort = (reason: unknown = defaultReason): void => {
    dispose();
    controller.abort(reason);
  };
  for (const signal of signals) {
    if (signal === null || signal === undefined) continue;
    if (signal.aborted) {
      abort(signal.reason);
      break;
    }
    const follow = (): void => abort(signal.reason);
    signal.addEventListener('abort', follow);
    followed.push([signal, follow]);
  }
  return { signal: controller.signal, abort, dispose };
}
