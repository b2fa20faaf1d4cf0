import {
  type ClientRequest,
  type IncomingMessage,
  request as openRequest,
  type RequestOptions,
} from 'node:http';
import type { ResponseReader } from './response-reader.ts';

interface SendOptions {
  readonly body: string | undefined;
  /** Time limit for opening a connection. */
  readonly connectTimeoutMs: number;
}

/**
 * Sends a request with the client of Node.js and passes its response to a reader. For a short answer in many pieces it takes
 * two thirds of the processor time of undici, whose parser is not native.
 */
export function sendRequest(
  options: RequestOptions,
  { body, connectTimeoutMs }: SendOptions,
  reader: ResponseReader,
): ClientRequest {
  let response: IncomingMessage | undefined;
  const sent = openRequest(options);
  const fail = (error: Error): void => {
    // The server may cut a connection after a complete response.
    if (response?.complete !== true) reader.onResponseError(controller, error);
  };
  const controller = {
    get paused() {
      return response?.isPaused() ?? false;
    },
    pause: () => void response?.pause(),
    resume: () => void response?.resume(),
    abort: (reason: Error) => void sent.destroy(reason),
  };
  sent.on('error', fail);
  sent.once('socket', (socket) => {
    if (!socket.connecting) return;
    const giveUp = (): void => {
      const message = `no connection within ${connectTimeoutMs / 1000} s`;
      sent.destroy(Object.assign(new Error(message), { code: 'ETIMEDOUT' }));
    };
    const timer = setTimeout(giveUp, connectTimeoutMs);
    const clear = (): void => clearTimeout(timer);
    socket.once('connect', clear).once('close', clear);
  });
  sent.once('response', (incoming) => {
    response = incoming;
    incoming.on('error', fail);
    incoming.on('data', (chunk: Buffer) => reader.onResponseData(controller, chunk));
    incoming.once('end', () => reader.onResponseEnd());
    reader.onResponseStart(controller, incoming.statusCode ?? 0, incoming.headers);
  });
  reader.onRequestStart(controller);
  sent.end(body);
  return sent;
}
