import { getRequestListener, RequestError } from '@hono/node-server';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { HearthError } from '../contract/errors.ts';
import { errorCode } from '../error-code.ts';
import type { Logger } from '../observability/logger.ts';
import type { HonoApp } from './app-environment.ts';
import { errorResponse } from './errors/error-response.ts';
import { requestIdOf } from './guards/request-id.ts';
import { serverErrors } from './surfaces/server/surface.ts';
import { createRunningRequests } from './running-requests.ts';
import { setDefaultHeaders } from './default-headers.ts';

interface ListenOptions {
  readonly app: HonoApp;
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  readonly logger: Logger;
}

export interface ListeningServer {
  readonly url: string;
  readonly port: number;
  /**
   * Takes no more requests, gives those that run `graceMs` to finish, aborts the rest with `shutting_down`
   * and closes every connection.
   */
  readonly close: (graceMs: number) => Promise<void>;
}

/** Limits on receiving a request; a response may take as long as it takes. */
const receiveLimits = {
  headersTimeout: 15_000,
  requestTimeout: 300_000,
  connectionsCheckingInterval: 5_000,
  keepAliveTimeout: 65_000,
  keepAlive: true,
};

/** Time that aborted requests have to say so. */
const lastWordsMs = 1000;

/**
 * Serves the app on a socket.
 *
 * @throws Error that says what to do where the address can't be taken.
 */
export async function listen(options: ListenOptions): Promise<ListeningServer> {
  const { app, host, port, logger } = options;
  const requests = createRunningRequests();
  let isStopping = false;
  const handle = getRequestListener(
    (request, { incoming, outgoing }) => {
      const running = requests.begin(incoming as IncomingMessage, outgoing as ServerResponse);
      if (countHosts(incoming) !== 1) return refuse(notOneHost(), logger);
      const { remoteAddress } = incoming.socket;
      return app.fetch(request, { running, isStopping, remoteAddress });
    },
    { errorHandler: (error) => refuse(toHearthError(error, logger), logger) },
  );
  // Without a Host header Node would answer a bare status line.
  const server = createServer(
    { ...receiveLimits, requireHostHeader: false },
    (incoming, outgoing) => {
      void handle(incoming, outgoing);
    },
  );
  // One listener for each request that a client sends ahead on the same connection.
  server.on('connection', (socket) => socket.setMaxListeners(0));
  await bind(server, host, port);
  server.on('error', (error) => logger.error({ err: error }, 'the server socket failed'));

  const stop = async (graceMs: number): Promise<void> => {
    isStopping = true;
    const closed = once(server, 'close');
    server.close();
    await settleWithin(requests.whenIdle(), graceMs);
    requests.abortAll(new HearthError('shutting_down', 'The server is stopping.'));
    await settleWithin(requests.whenIdle(), lastWordsMs);
    server.closeAllConnections();
    await closed;
  };
  let stopped: Promise<void> | undefined;
  const address = server.address() as AddressInfo;
  return {
    url: `http://${reachableHost(address)}:${address.port}`,
    port: address.port,
    close: (graceMs) => (stopped ??= stop(graceMs)),
  };
}

/** Of two, a proxy may check the one and Hearth the other (RFC 9112, section 3.2). */
const notOneHost = () =>
  new HearthError('invalid_value', 'The request must have exactly one Host header.');

function countHosts({ rawHeaders }: { readonly rawHeaders: readonly string[] }): number {
  return rawHeaders.filter((name, index) => index % 2 === 0 && /^host$/i.test(name)).length;
}

/** Answers a request that the app never sees, with the headers and the log line of one that it does. */
function refuse(error: HearthError, logger: Logger): Response {
  const requestId = requestIdOf(undefined);
  const response = errorResponse(error, serverErrors);
  setDefaultHeaders(response.headers, requestId);
  logger.info({ requestId, status: error.status, reason: error.message }, 'request refused');
  return response;
}

/** What went wrong outside of the app: Hono never saw the request, or something other than an Error was thrown. */
function toHearthError(error: unknown, logger: Logger): HearthError {
  if (error instanceof RequestError) {
    return new HearthError(
      'invalid_value',
      'The request target or the Host header is missing or malformed.',
    );
  }
  logger.error({ err: error }, 'request failed');
  return new HearthError('internal', 'Something went wrong in the server; its log says more.');
}

async function bind(server: Server, host: string, port: number): Promise<void> {
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (error) {
    const code = errorCode(error);
    const remedy = remedies[String(code)];
    if (remedy === undefined) throw error;
    throw new Error(`Can't listen on ${host}, port ${port}: ${remedy}`, { cause: error });
  }
}

const remedies: Readonly<Record<string, string>> = {
  EADDRINUSE:
    'another program uses it. Stop that one, or choose another port (`server.port`; 0 takes a free one).',
  EACCES: 'this user may not use it. Choose a port above 1023 (`server.port`).',
  EADDRNOTAVAIL: 'no network interface has this address (`server.host`).',
  ENOTFOUND: 'this name has no address (`server.host`).',
};

/** An address to connect to: where the server listens on all of them, that of loopback. */
function reachableHost({ address, family }: AddressInfo): string {
  if (address === '0.0.0.0') return '127.0.0.1';
  if (address === '::') return '[::1]';
  return family === 'IPv6' ? `[${address}]` : address;
}

async function settleWithin(promise: Promise<void>, limitMs: number): Promise<void> {
  const timer = new AbortController();
  const limit = delay(limitMs, undefined, { signal: timer.signal }).catch(() => {});
  await Promise.race([promise, limit]);
  timer.abort();
}
