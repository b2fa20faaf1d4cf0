import type { Dispatcher } from 'undici';
import { createAddressPolicy, type AddressPolicy, type EgressPolicy } from './address-policy.ts';
import { createHttpAgent } from './http-agent.ts';
import { HttpFailure, toHttpFailure } from './http-failure.ts';
import { ResponseReader } from './response-reader.ts';

export interface HttpSenderOptions {
  readonly egress: EgressPolicy;
  /** Environment with `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY`; without them no proxy is used. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Idle timeout, which applies separately to the connection, the headers and each chunk of the body. */
  readonly idleTimeoutMs: number;
  /** Time limit to open a connection; defaults to the idle timeout. */
  readonly connectTimeoutMs?: number;
  /** Fingerprint of the only key that a server may have (`keyFingerprint`). */
  readonly pinnedKey?: string | undefined;
}

export interface HttpRequest {
  readonly url: URL;
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Headers for the first origin only; dropped at the first redirect to another origin. */
  readonly headers: Readonly<Record<string, string>>;
  /** Headers for all redirect targets, such as `range`; must not be secret. */
  readonly forwardedHeaders: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | undefined;
  readonly signal: AbortSignal;
  /** Idle timeout between chunks of the body; defaults to the sender's; 0: none. */
  readonly bodyTimeoutMs?: number | undefined;
}

export interface HttpExchange {
  /** Address of the response, after redirects. */
  readonly url: URL;
  readonly response: ResponseReader;
}

/** Sends requests to addresses outside this machine, within an egress policy. */
export interface HttpSender {
  /**
   * Sends a request and follows redirects, never from https to http. For methods other than GET, follows only redirects
   * that keep the method and the origin.
   *
   * @returns The response, with any status; it must be read to its end or aborted.
   * @throws HttpFailure; the signal's reason when aborted.
   */
  send(request: HttpRequest): Promise<HttpExchange>;
  /** Aborts the requests in flight and closes every socket. */
  close(): Promise<void>;
}

const maxRedirects = 5;
/** Maximum size of a discarded body to read, so that its connection can be reused. */
const maxDiscardedBytes = 16_384;
/** Buffer size per connection: enough to keep reading while the last bytes are written. */
const pauseAboveBytes = 256 * 1024;
const redirectStatuses: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const methodKeepingStatuses: ReadonlySet<number> = new Set([307, 308]);

export function createHttpSender(options: HttpSenderOptions): HttpSender {
  const { egress, environment, idleTimeoutMs, connectTimeoutMs = idleTimeoutMs } = options;
  const { pinnedKey } = options;
  const policy = egress.type === 'any' ? undefined : createAddressPolicy(egress);
  const agent = createHttpAgent({
    environment,
    idleTimeoutMs,
    connectTimeoutMs,
    policy,
    pinnedKey,
  });

  async function send(request: HttpRequest): Promise<HttpExchange> {
    let current = request;
    for (let redirects = 0; redirects <= maxRedirects; redirects += 1) {
      const response = await dispatch(agent, policy, current, redirects > 0);
      const { location } = response.headers;
      if (!redirectStatuses.has(response.status) || location === undefined) {
        return { url: current.url, response };
      }
      await discardBody(response).catch(() => {});
      current = redirected(current, response.status, location);
    }
    const message = `${request.url.host} redirected more than ${maxRedirects} times`;
    throw new HttpFailure('redirect', message);
  }

  return { send, close: () => agent.destroy() };
}

async function dispatch(
  agent: Dispatcher,
  policy: AddressPolicy | undefined,
  request: HttpRequest,
  isRedirected: boolean,
): Promise<ResponseReader> {
  const {
    url,
    method,
    headers,
    forwardedHeaders,
    body = null,
    signal,
    bodyTimeoutMs = null,
  } = request;
  signal.throwIfAborted();
  try {
    policy?.assertUrl(url);
    const response = new ResponseReader({ signal, pauseAboveBytes });
    agent.dispatch(
      {
        origin: url.origin,
        path: url.pathname + url.search,
        method,
        headers: { 'user-agent': 'hearth', ...forwardedHeaders, ...headers },
        body,
        bodyTimeout: bodyTimeoutMs,
      },
      response,
    );
    await response.started();
    return response;
  } catch (error) {
    const message = `${url.host} can't be reached`;
    throw toHttpFailure(error, 'unreachable', message, { signal, isRedirected });
  }
}

/** Reads a small body completely, so that its connection can be reused, and aborts a larger one. */
export async function discardBody(response: ResponseReader): Promise<void> {
  let bytes = 0;
  for (let pieces = await response.read(); pieces !== undefined; pieces = await response.read()) {
    for (const piece of pieces) bytes += piece.length;
    if (bytes > maxDiscardedBytes) response.close();
  }
}

function redirected(
  request: HttpRequest,
  status: number,
  location: string | readonly string[],
): HttpRequest {
  const url = redirectTarget(request.url, location);
  const isSameOrigin = url.origin === request.url.origin;
  const keepsMethod = methodKeepingStatuses.has(status);
  if (request.method !== 'GET' && !(isSameOrigin && keepsMethod)) {
    const message = `${request.url.host} redirects to ${url.origin}; a ${request.method} is not repeated there`;
    throw new HttpFailure('redirect', message);
  }
  // Headers for one origin, such as a token, must not reach another.
  return isSameOrigin ? { ...request, url } : { ...request, url, headers: {} };
}

function redirectTarget(from: URL, location: string | readonly string[]): URL {
  if (typeof location !== 'string' || !URL.canParse(location, from.href)) {
    throw new HttpFailure('redirect', `${from.host} redirects to an invalid address`);
  }
  const target = new URL(location, from);
  const isAllowed =
    target.protocol === 'https:' || (target.protocol === 'http:' && from.protocol === 'http:');
  if (!isAllowed) {
    throw new HttpFailure('redirect', `${from.host} redirects to ${target.protocol}//, refused`);
  }
  return target;
}
