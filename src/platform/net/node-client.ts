import {
  Agent,
  type IncomingMessage,
  request as openRequest,
  type RequestOptions,
} from 'node:http';
import type { ResponseReader } from './response-reader.ts';

interface NodeClientOptions {
  /** Time limit to open a connection. */
  readonly connectTimeoutMs: number;
  /** Maximum number of open sockets; further requests wait. */
  readonly maxConnections?: number;
  /** Time for which an idle connection is kept. */
  readonly keepAliveMs?: number;
}

interface NodeRequest extends RequestOptions {
  readonly body?: string | Uint8Array | undefined;
}

/** Less than the 5 s after which many servers, such as llama-server, close idle connections. */
const defaultKeepAliveMs = 4_000;

/**
 * A client for plain HTTP over keep-alive connections. Its native parser takes two thirds of undici's CPU time for a
 * short response in many pieces.
 */
export class NodeClient {
  readonly #options: NodeClientOptions;
  readonly #agent: Agent;
  #isClosed = false;

  constructor(options: NodeClientOptions) {
    this.#options = options;
    const { maxConnections: maxSockets = Infinity, keepAliveMs = defaultKeepAliveMs } = options;
    this.#agent = new Agent({ keepAlive: true, maxSockets, timeout: keepAliveMs });
  }

  /** Sends a request and passes the response to a reader. */
  send({ body, ...request }: NodeRequest, reader: ResponseReader): void {
    const { connectTimeoutMs } = this.#options;
    let response: IncomingMessage | undefined;
    const sent = openRequest({ ...request, agent: this.#agent });
    const fail = (error: Error): void => {
      // A server may reset the connection after a complete response.
      if (response?.complete !== true) reader.onResponseError(controller, error);
    };
    const controller = {
      pause: () => void response?.pause(),
      resume: () => void response?.resume(),
      abort: (reason: Error) => void sent.destroy(reason),
    };
    sent.on('error', fail);
    sent.once('socket', (socket) => {
      if (!socket.connecting) return;
      const giveUp = (): void => void sent.destroy(timeout(connectTimeoutMs));
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
    if (this.#isClosed) sent.destroy(closed());
    else sent.end(body);
  }

  /** Closes every socket. Requests in flight and later ones fail. */
  close(): void {
    this.#isClosed = true;
    this.#agent.destroy();
    // Requests that are waiting for a socket.
    for (const waiting of Object.values(this.#agent.requests).flat()) waiting?.destroy(closed());
  }
}

function timeout(limitMs: number): Error {
  const message = `no connection in ${limitMs / 1000} s`;
  return Object.assign(new Error(message), { code: 'CONNECT_TIMEOUT' });
}

function closed(): Error {
  return new Error('The client was closed.');
}
