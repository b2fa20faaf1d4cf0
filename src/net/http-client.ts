import type { IncomingHttpHeaders } from 'node:http';
import { EnvHttpProxyAgent, type Dispatcher } from 'undici';

/** Why a request gave nothing; `status` is an answer outside 2xx. */
type HttpFailureReason =
  | 'unreachable'
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

  constructor(
    reason: HttpFailureReason,
    message: string,
    detail: { readonly status?: number; readonly cause?: unknown } = {},
  ) {
    super(message, { cause: detail.cause });
    this.reason = reason;
    this.status = detail.status;
  }
}

interface HttpGetOptions {
  readonly signal: AbortSignal;
  /** Most bytes of body to accept. */
  readonly maximumBytes: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Called for each piece of the body with the bytes received so far. */
  readonly onProgress?: (receivedBytes: number, totalBytes?: number) => void;
}

interface HttpResponse {
  /** Where the answer came from, after redirects. */
  readonly url: URL;
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Read it to its end, or abort the signal; it throws `HttpFailure` like the request itself. */
  readonly body: AsyncIterable<Uint8Array>;
}

export interface HttpClient {
  /**
   * Fetches an address that the person who runs Hearth chose; it may be on any network.
   * Redirects are followed, but never from https to http.
   *
   * @throws HttpFailure for everything but a 2xx answer; the signal's reason when aborted.
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
}

const maximumRedirects = 5;
const redirectStatuses: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** A client for addresses outside this machine; engines on loopback have their own connection. */
export function createHttpClient(options: HttpClientOptions): HttpClient {
  const { environment, idleTimeoutMs = 30_000 } = options;
  // An empty string keeps the agent from looking into the environment by itself.
  const agent = new EnvHttpProxyAgent({
    httpProxy: environment['http_proxy'] ?? environment['HTTP_PROXY'] ?? '',
    httpsProxy: environment['https_proxy'] ?? environment['HTTPS_PROXY'] ?? '',
    noProxy: environment['no_proxy'] ?? environment['NO_PROXY'] ?? '',
    connect: { timeout: idleTimeoutMs },
    headersTimeout: idleTimeoutMs,
    bodyTimeout: idleTimeoutMs,
  });
  return {
    get: async (url, getOptions) => get(agent, url, getOptions),
    close: async () => agent.destroy(),
  };
}

async function get(agent: Dispatcher, url: URL, options: HttpGetOptions): Promise<HttpResponse> {
  let current = url;
  let headers = options.headers ?? {};
  for (let redirects = 0; redirects <= maximumRedirects; redirects += 1) {
    const response = await send(agent, current, headers, options.signal);
    const { statusCode: status } = response;
    if (status >= 200 && status < 300) {
      return { url: current, status, headers: response.headers, body: bounded(response, options) };
    }
    // What the server says besides isn't wanted; reading a little of it keeps the connection usable.
    await response.body.dump({ limit: 16_384 }).catch(() => {});
    if (!redirectStatuses.has(status)) {
      throw new HttpFailure('status', `${current.host} answered ${status}`, { status });
    }
    const next = redirectTarget(current, response.headers['location']);
    // What was meant for one host, such as a token, is not for another.
    if (next.origin !== current.origin) headers = {};
    current = next;
  }
  throw new HttpFailure('redirect', `${url.host} redirected more than ${maximumRedirects} times`);
}

async function send(
  agent: Dispatcher,
  url: URL,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<Dispatcher.ResponseData> {
  signal.throwIfAborted();
  try {
    return await agent.request({
      origin: url.origin,
      path: url.pathname + url.search,
      method: 'GET',
      headers: { 'user-agent': 'hearth', ...headers },
      signal,
    });
  } catch (error) {
    throw failureOf(error, 'unreachable', `${url.host} can't be reached`, signal);
  }
}

function redirectTarget(from: URL, location: string | readonly string[] | undefined): URL {
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
  response: Dispatcher.ResponseData,
  { signal, maximumBytes, onProgress }: HttpGetOptions,
): AsyncGenerator<Uint8Array> {
  const declared = Number(response.headers['content-length']);
  const totalBytes = Number.isSafeInteger(declared) ? declared : undefined;
  let receivedBytes = 0;
  try {
    for await (const piece of response.body as AsyncIterable<Uint8Array>) {
      receivedBytes += piece.length;
      if (Math.max(receivedBytes, totalBytes ?? 0) > maximumBytes) {
        throw new HttpFailure('too_large', `the answer is larger than ${maximumBytes} bytes`);
      }
      onProgress?.(receivedBytes, totalBytes);
      yield piece;
    }
  } catch (error) {
    const message = `the transfer broke off after ${receivedBytes} bytes`;
    throw failureOf(error, 'interrupted', message, signal);
  }
}

function failureOf(
  error: unknown,
  reason: HttpFailureReason,
  message: string,
  signal: AbortSignal,
): unknown {
  if (signal.aborted) return signal.reason;
  if (error instanceof HttpFailure) return error;
  const code = codeOf(error);
  const isTimeout = code?.endsWith('_TIMEOUT') === true || code === 'ETIMEDOUT';
  const text = code === undefined ? message : `${message} (${code})`;
  return new HttpFailure(isTimeout ? 'timeout' : reason, text, { cause: error });
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string'
    ? error.code
    : undefined;
}
