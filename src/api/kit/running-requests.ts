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
  /** Resolves when all requests that are running now have ended; later ones are ignored. */
  readonly whenDrained: () => Promise<void>;
}

interface Drain {
  readonly pending: Set<AbortController>;
  readonly onEnd: () => void;
}

/** Tracks the requests of a server. Each aborts if its connection closes, and all abort with the server. */
export function createRunningRequests(): RunningRequests {
  const running = new Set<AbortController>();
  const drains = new Set<Drain>();

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
      for (const drain of drains) {
        drain.pending.delete(controller);
        if (drain.pending.size > 0) continue;
        drains.delete(drain);
        drain.onEnd();
      }
    };
    running.add(controller);
    outgoing.once('close', end);
    // A queued response of a pipelined request never emits `close` itself.
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
    whenDrained: () =>
      new Promise((resolve) => {
        if (running.size === 0) resolve();
        else drains.add({ pending: new Set(running), onEnd: resolve });
      }),
  };
}

/** Time to receive a whole request. For an upload, which may take hours, the maximum time without data. */
const receiveTimeoutMs = 300_000;
const uploadStallMs = 60_000;
const uploadTypes = /^(?:application\/octet-stream|multipart\/form-data) *(?:;|$)/i;
/** By path, since clients of Ollama declare other types for their files. */
const uploadPath = /\/api\/blobs\/[^/?]+$/;

/** Closes the connection if a client takes too long to send its request. */
export function limitReceiving(incoming: IncomingMessage): void {
  const { headers, url = '' } = incoming;
  if (headers['content-length'] === undefined && headers['transfer-encoding'] === undefined) return;
  const giveUp = (): void => void (incoming.complete || incoming.destroy());
  if (uploadTypes.test(headers['content-type'] ?? '') || uploadPath.test(url)) {
    incoming.setTimeout(uploadStallMs, giveUp);
    incoming.once('end', () => incoming.setTimeout(0));
    return;
  }
  const timer = setTimeout(giveUp, receiveTimeoutMs);
  const stop = (): void => clearTimeout(timer);
  incoming.once('end', stop).once('close', stop);
}
