import type { IncomingMessage, ServerResponse } from 'node:http';

/** A request from its arrival until its response has gone out or its client has gone away. */
export interface RunningRequest {
  /** Aborted when the client goes away, or with a HearthError when the server stops. */
  readonly signal: AbortSignal;
  /** Calls back once: at the end, or at once where that has come. */
  readonly onEnd: (callback: (end: { readonly isComplete: boolean }) => void) => void;
}

interface RunningRequests {
  readonly begin: (incoming: IncomingMessage, outgoing: ServerResponse) => RunningRequest;
  readonly abortAll: (reason: Error) => void;
  /** Resolves when none is running. */
  readonly whenIdle: () => Promise<void>;
}

/** Keeps the requests of a server, so that each ends with its connection and all end with the server. */
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
    // A pipelined response that still waits for its turn never closes itself.
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
