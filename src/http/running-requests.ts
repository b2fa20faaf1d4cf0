import type { IncomingMessage, ServerResponse } from 'node:http';

/** A request from its arrival until its response is sent or its client disconnects. */
export interface RunningRequest {
  /** Aborts when the client disconnects, or with a HearthError when the server stops. */
  readonly signal: AbortSignal;
  /** Calls back once: when the request ends, or immediately if it has ended. */
  readonly onEnd: (callback: (end: { readonly isComplete: boolean }) => void) => void;
}

interface RunningRequests {
  readonly begin: (incoming: IncomingMessage, outgoing: ServerResponse) => RunningRequest;
  readonly abortAll: (reason: Error) => void;
  readonly count: () => number;
  /** Resolves when no request is running. */
  readonly whenIdle: () => Promise<void>;
}

/** Tracks the requests of a server, to abort each with its connection and all with the server. */
export function createRunningRequests(): RunningRequests {
  const running = new Set<AbortController>();
  const idleCallbacks = new Set<() => void>();

  const begin = (incoming: IncomingMessage, outgoing: ServerResponse): RunningRequest => {
    const controller = new AbortController();
    const endCallbacks: ((end: { readonly isComplete: boolean }) => void)[] = [];
    const { socket } = incoming;
    const end = (): void => {
      outgoing.off('close', end);
      socket.off('close', end);
      if (!running.delete(controller)) return;
      const isComplete = outgoing.writableFinished;
      if (!isComplete) controller.abort();
      for (const callback of endCallbacks) callback({ isComplete });
      if (running.size > 0) return;
      for (const callback of idleCallbacks) callback();
      idleCallbacks.clear();
    };
    running.add(controller);
    outgoing.once('close', end);
    // A pipelined response that is still queued never emits `close` itself.
    socket.once('close', end);
    return {
      signal: controller.signal,
      onEnd: (callback) => {
        if (running.has(controller)) endCallbacks.push(callback);
        else callback({ isComplete: outgoing.writableFinished });
      },
    };
  };

  return {
    begin,
    count: () => running.size,
    abortAll: (reason) => {
      for (const controller of running) controller.abort(reason);
    },
    whenIdle: () =>
      new Promise((resolve) => {
        if (running.size === 0) resolve();
        else idleCallbacks.add(resolve);
      }),
  };
}
