import { getRequestListener, RequestError } from '@hono/node-server';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Server, Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { HearthError } from '../kernel/errors/errors.ts';
import { errorCode } from '../kernel/error-code.ts';
import type { Logger } from '../kernel/logger.ts';
import type { AppEnvironment } from '../api/kit/app-environment.ts';
import { errorResponse } from '../api/kit/errors/error-response.ts';
import { requestIdOf, setDefaultHeaders } from '../api/kit/observe.ts';
import { serverErrors } from '../api/monitoring/api.ts';
import { limitReceiving, createRunningRequests } from '../api/kit/running-requests.ts';
import type { KeyPair } from './tls-files.ts';

interface ListenOptions {
  readonly app: {
    fetch(request: Request, bindings: AppEnvironment['Bindings']): Response | Promise<Response>;
  };
  readonly host: string;
  /** 0 selects any free port. */
  readonly port: number;
  /** Setting of the port, for messages; defaults to `server.port`. */
  readonly portSetting?: string;
  /** Path that a proxy may add before every path of the server, such as `/hearth`. */
  readonly pathPrefix?: string;
  /** Response of `GET /` that replaces the server's name. */
  readonly greeting?: string;
  /** Certificate and key; if present, the server accepts only HTTPS. */
  readonly tls?: Pick<KeyPair, 'cert' | 'key'> | undefined;
  /** Time after which a response is ended if its client does not read it; no limit if absent. */
  readonly stallLimitMs?: number;
  readonly logger: Logger;
}

export interface ListeningServer {
  readonly url: string;
  readonly port: number;
  /** Replaces the certificate for new connections. */
  readonly setCertificate: (pair: KeyPair) => void;
  /**
   * Waits `graceMs` for running requests, aborts the rest with `shutting_down` and closes all connections. Until then
   * the socket stays open: new requests fail with `shutting_down`, and `GET /health` succeeds.
   */
  readonly close: (graceMs: number) => Promise<void>;
}

/** Limits for receiving a request. */
const receiveLimits = {
  headersTimeout: 15_000,
  // Uploads may take hours; `limitReceiving` limits all requests instead.
  requestTimeout: 0,
  connectionsCheckingInterval: 5_000,
  keepAliveTimeout: 65_000,
  keepAlive: true,
};

/** Time for aborted requests to send their error. */
const abortGraceMs = 1000;

/**
 * Serves the app on a socket.
 *
 * @throws Error if the address can't be used; its message names the remedy.
 */
export async function listen(options: ListenOptions): Promise<ListeningServer> {
  const { app, host, port, portSetting = 'server.port', greeting, tls, logger } = options;
  const { stallLimitMs = 0, pathPrefix = '' } = options;
  const requests = createRunningRequests();
  let isStopping = false;
  const handle = getRequestListener(
    (request, { incoming, outgoing }) => {
      const running = requests.begin(incoming as IncomingMessage, outgoing as ServerResponse);
      if (countHosts(incoming) !== 1) return refuse(notOneHost(), logger);
      const { remoteAddress } = incoming.socket;
      return app.fetch(request, { running, isStopping, remoteAddress, greeting });
    },
    { errorHandler: (error) => refuse(toHearthError(error, logger), logger) },
  );
  /** Ends a response if its socket was silent for the time limit although bytes were waiting to be read. */
  const endStalled = (socket: Socket): void => {
    if (socket.writableLength === 0) return;
    logger.info({ remoteAddress: socket.remoteAddress }, 'a client does not read its response');
    socket.destroy();
  };
  // The app refuses requests without a Host header: Node itself would send only a status line.
  const onRequest = (incoming: IncomingMessage, outgoing: ServerResponse): void => {
    if (pathPrefix !== '') incoming.url = withoutPrefix(incoming.url ?? '/', pathPrefix);
    limitReceiving(incoming);
    // With a listener, Node leaves the socket open. The timeout may only mean that an answer takes long to begin.
    outgoing.on('timeout', endStalled);
    void handle(incoming, outgoing);
  };
  const serverOptions = { ...receiveLimits, requireHostHeader: false };
  const secured =
    tls === undefined
      ? undefined
      : createTlsServer({ ...serverOptions, cert: tls.cert, key: tls.key }, onRequest);
  const server = secured ?? createServer(serverOptions, onRequest);
  // Half of the limit: if the client has read a part of the last write, Node waits a second time.
  server.timeout = stallLimitMs / 2;
  // Each pipelined request adds a listener to the connection.
  server.on(secured === undefined ? 'connection' : 'secureConnection', (socket) =>
    socket.setMaxListeners(0),
  );
  await bind(server, { host, port, portSetting });
  server.on('error', (error) => logger.error({ err: error }, 'the server socket failed'));

  const stop = async (graceMs: number): Promise<void> => {
    isStopping = true;
    const count = requests.count();
    logger.info(
      count === 0
        ? 'stopping'
        : `stopping: waiting up to ${graceMs / 1000} s for ${count === 1 ? '1 request' : `${count} requests`}`,
    );
    await settleWithin(requests.whenDrained(), graceMs);
    const closed = once(server, 'close');
    server.close();
    if (requests.count() > 0) logger.info(`aborting ${requests.count()} requests`);
    requests.abortAll(new HearthError('shutting_down', 'The server is stopping.'));
    await settleWithin(requests.whenDrained(), abortGraceMs);
    server.closeAllConnections();
    await closed;
  };
  let stopped: Promise<void> | undefined;
  const address = server.address() as AddressInfo;
  return {
    url: `${secured === undefined ? 'http' : 'https'}://${reachableHost(address)}:${address.port}`,
    port: address.port,
    setCertificate: ({ cert, key }) => secured?.setSecureContext({ cert, key }),
    close: (graceMs) => (stopped ??= stop(graceMs)),
  };
}

/** Paths without the prefix stay unchanged, since some proxies remove it. */
function withoutPrefix(url: string, prefix: string): string {
  if (!url.startsWith(prefix)) return url;
  const rest = url.slice(prefix.length);
  if (rest.startsWith('/')) return rest;
  return rest === '' || rest.startsWith('?') ? `/${rest}` : url;
}

/** With two Host headers, a proxy might check one and Hearth the other (RFC 9112, section 3.2). */
const notOneHost = () =>
  new HearthError('invalid_value', 'The request must have exactly one Host header.');

function countHosts({ rawHeaders }: { readonly rawHeaders: readonly string[] }): number {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    if (rawHeaders[index]?.toLowerCase() === 'host') count += 1;
  }
  return count;
}

/** Responds to a request that does not reach the app, with the usual headers and log line. */
function refuse(error: HearthError, logger: Logger): Response {
  const requestId = requestIdOf(undefined);
  const response = errorResponse(error, serverErrors, requestId);
  setDefaultHeaders(response.headers, requestId);
  logger.info({ requestId, status: error.status, reason: error.message }, 'request refused');
  return response;
}

/** Converts a failure outside of the app: a malformed request, or a thrown value that is not an Error. */
function toHearthError(error: unknown, logger: Logger): HearthError {
  if (error instanceof RequestError) {
    return new HearthError(
      'invalid_value',
      'The request target or the Host header is missing or malformed.',
    );
  }
  logger.error({ err: error }, 'request failed');
  return new HearthError(
    'internal',
    'An unexpected error occurred; the log of the server has the details.',
  );
}

async function bind(
  server: Server,
  { host, port, portSetting }: Required<Pick<ListenOptions, 'host' | 'port' | 'portSetting'>>,
): Promise<void> {
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (error) {
    const code = errorCode(error);
    const remedy = remedies[String(code)];
    if (remedy === undefined) throw error;
    const advice = remedy.replace('server.port', portSetting);
    throw new Error(`Can't listen on ${host}, port ${port}: ${advice}`, { cause: error });
  }
}

const remedies: Readonly<Record<string, string>> = {
  EADDRINUSE:
    'another program uses it. Stop that one, or choose another port (`server.port`; 0 takes a free one).',
  EACCES: 'this user may not use it. Choose a port above 1023 (`server.port`).',
  EADDRNOTAVAIL: 'no network interface has this address (`server.host`).',
  ENOTFOUND: 'this name has no address (`server.host`).',
};

/** An address to connect to: the loopback address if the server listens on all addresses. */
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
