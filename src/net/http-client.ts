import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import { errorCode } from '../error-code.ts';
import {
  AddressRefused,
  createAddressPolicy,
  type AddressPolicy,
  type Reach,
} from './address-policy.ts';
import { createHttpAgent } from './http-agent.ts';
import { ResponseReader } from './response-reader.ts';

/** Why a request gave nothing; `status` is an answer that is no success, `refused` a place out of reach. */
export type HttpFailureReason =
  | 'unreachable'
  | 'refused'
  | 'status'
  | 'redirect'
  | 'too_large'
  | 'interrupted'
  | 'timeout';

/** A request that gave no usable answer. */
export class HttpFailure extends Error {
  override readonly name = 'HttpFailure';
  readonly reason: HttpFailureReason;
  /** The HTTP status, where `reason` is `status`. */
  readonly status: number | undefined;
  /** Of the answer, where `reason` is `status`, else empty. */
  readonly headers: IncomingHttpHeaders;

  constructor(
    reason: HttpFailureReason,
    message: string,
    detail: {
      readonly status?: number;
      readonly headers?: IncomingHttpHeaders;
      readonly cause?: unknown;
    } = {},
  ) {
    super(message, { cause: detail.cause });
    this.reason = reason;
    this.status = detail.status;
    this.headers = detail.headers ?? {};
  }
}

export interface HttpGetOptions {
  readonly signal: AbortSignal;
  /** Most bytes of body to accept. */
  readonly maxBytes: number;
  /** For the origin of the address alone: dropped for good once a redirect leads to another. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent along wherever redirects lead, such as `range`: nothing secret. */
  readonly forwardedHeaders?: Readonly<Record<string, string>>;
  /** Which statuses are no failure; 2xx unless given. Redirects are followed in any case. */
  readonly isSuccess?: (status: number) => boolean;
  /** Called for each piece of the body with the bytes received so far. */
  readonly onProgress?: (receivedBytes: number, totalBytes?: number) => void;
}

export interface HttpResponse {
  /** Where the answer came from, after redirects. */
  readonly url: URL;
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /**
   * Read it to its end, leave the loop, `discard` it or abort the signal, or the connection stays taken.
   * It throws `HttpFailure` like the request itself.
   */
  readonly body: AsyncIterable<Uint8Array>;
  /** Gives up a body that is not wanted, and its connection. */
  discard(): void;
}

export interface HttpClient {
  /**
   * Fetches an address. Redirects are followed, but never from https to http, and never out of reach.
   *
   * @throws HttpFailure for everything but success; the signal's reason when aborted.
   */
  get(url: URL, options: HttpGetOptions): Promise<HttpResponse>;
  /** Ends what is under way and closes every socket. */
  close(): Promise<void>;
}

interface HttpClientOptions {
  /** Its `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY` are followed, in either case. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Longest silence of the other side: to connect, until headers, between pieces of the body. */
  readonly idleTimeoutMs?: number;
  /** Where requests and redirects may go: unless given anywhere, for addresses chosen by who runs Hearth. */
  readonly reach?: Reach;
}

const maxRedirects = 5;
/** What is read of an answer that isn't wanted, to keep its connection usable. */
const dumpedBytes = 16_384;
/** Enough that the socket is read while the last bytes are written; each connection may hold as much. */
const pauseAboveBytes = 256 * 1024;
const redirectStatuses: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** A client for addresses outside this machine; engines on loopback have their own connection. */
export function createHttpClient(options: HttpClientOptions): HttpClient {
  const { environment, idleTimeoutMs = 30_000, reach } = options;
  const policy = reach === undefined ? undefined : createAddressPolicy(reach);
  const agent = createHttpAgent({ environment, idleTimeoutMs, policy });
  return {
    get: async (url, getOptions) => get({ agent, policy }, url, getOptions),
    close: async () => agent.destroy(),
  };
}

interface Route {
  readonly agent: Dispatcher;
  readonly policy: AddressPolicy | undefined;
}

async function get(route: Route, url: URL, options: HttpGetOptions): Promise<HttpResponse> {
  const { forwardedHeaders = {}, isSuccess = isOk, signal } = options;
  let current = url;
  let headers = { ...forwardedHeaders, ...options.headers };
  for (let redirects = 0; redirects <= maxRedirects; redirects += 1) {
    const response = await send(route, current, headers, signal);
    const { status } = response;
    const isRedirect = redirectStatuses.has(status);
    if (!isRedirect && isSuccess(status)) return toResponse(current, response, options);
    await dump(response).catch(() => {});
    if (!isRedirect) {
      const message = `${current.host} answered ${status}`;
      throw new HttpFailure('status', message, { status, headers: response.headers });
    }
    const next = redirectTarget(current, response.headers['location']);
    // What was meant for one host, such as a token, is not for another.
    if (next.origin !== current.origin) headers = forwardedHeaders;
    current = next;
  }
  throw new HttpFailure('redirect', `${url.host} redirected more than ${maxRedirects} times`);
}

function isOk(status: number): boolean {
  return status >= 200 && status < 300;
}

function toResponse(url: URL, response: ResponseReader, options: HttpGetOptions): HttpResponse {
  return {
    url,
    status: response.status,
    headers: response.headers,
    body: bounded(response, options),
    discard: () => response.abort(new Error('not wanted')),
  };
}

async function dump(response: ResponseReader): Promise<void> {
  let bytes = 0;
  for (let pieces = await response.read(); pieces !== undefined; pieces = await response.read()) {
    for (const piece of pieces) bytes += piece.length;
    if (bytes > dumpedBytes) response.abort(new Error('not wanted'));
  }
}

async function send(
  { agent, policy }: Route,
  url: URL,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<ResponseReader> {
  signal.throwIfAborted();
  try {
    policy?.assertUrl(url);
    const response = new ResponseReader({ signal, pauseAboveBytes });
    const request = {
      origin: url.origin,
      path: url.pathname + url.search,
      method: 'GET',
      headers: { 'user-agent': 'hearth', ...headers },
    } as const;
    agent.dispatch(request, response);
    await response.started();
    return response;
  } catch (error) {
    throw failureOf(error, 'unreachable', `${url.host} can't be reached`, signal);
  }
}

export function redirectTarget(from: URL, location: string | readonly string[] | undefined): URL {
  if (typeof location !== 'string' || !URL.canParse(location, from.href)) {
    throw new HttpFailure('redirect', `${from.host} redirected to no valid address`);
  }
  const target = new URL(location, from);
  const isAllowed =
    target.protocol === 'https:' || (target.protocol === 'http:' && from.protocol === 'http:');
  if (!isAllowed) {
    throw new HttpFailure('redirect', `${from.host} redirected to ${target.protocol}//, refused`);
  }
  return target;
}

async function* bounded(
  response: ResponseReader,
  { signal, maxBytes, onProgress }: HttpGetOptions,
): AsyncGenerator<Uint8Array> {
  const declared = Number(response.headers['content-length']);
  const totalBytes = Number.isSafeInteger(declared) ? declared : undefined;
  let receivedBytes = 0;
  try {
    for (let pieces = await response.read(); pieces !== undefined; pieces = await response.read()) {
      for (const piece of pieces) {
        receivedBytes += piece.length;
        if (Math.max(receivedBytes, totalBytes ?? 0) > maxBytes) {
          throw new HttpFailure('too_large', `the answer is larger than ${maxBytes} bytes`);
        }
        onProgress?.(receivedBytes, totalBytes);
        yield piece;
      }
    }
  } catch (error) {
    const message = `the transfer broke off after ${receivedBytes} bytes`;
    throw failureOf(error, 'interrupted', message, signal);
  } finally {
    // Closes the connection of an answer that was not read to its end.
    response.abort(new Error('not wanted'));
  }
}

export function failureOf(
  error: unknown,
  reason: HttpFailureReason,
  message: string,
  signal: AbortSignal,
): unknown {
  if (signal.aborted) return signal.reason;
  if (error instanceof HttpFailure) return error;
  if (error instanceof AddressRefused) {
    return new HttpFailure('refused', error.message, { cause: error });
  }
  const code = errorCode(error);
  const isTimeout = code?.endsWith('_TIMEOUT') === true || code === 'ETIMEDOUT';
  const text = code === undefined ? message : `${message} (${code})`;
  return new HttpFailure(isTimeout ? 'timeout' : reason, text, { cause: error });
}
