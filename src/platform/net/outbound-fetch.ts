import { omitUndefined } from '../../kernel/omit-undefined.ts';
import { linkAbort, type LinkedAbort } from '../../kernel/concurrency/linked-abort.ts';
import { mayHaveBody, toFetchResponse } from './fetch-response.ts';
import { HttpFailure, toHttpFailure } from './http-failure.ts';
import {
  createHttpSender,
  discardBody,
  type HttpExchange,
  type HttpRequest,
  type HttpSenderOptions,
} from './http-sender.ts';

/** `idleTimeoutMs` does not apply between chunks of a GET response, which may be an event stream. */
interface OutboundFetchOptions extends HttpSenderOptions {
  /** Maximum size of one response in bytes. */
  readonly maxBytes: number;
  /** Time limit for a request including its response. */
  readonly totalTimeoutMs: number;
  /** Called if a response breaks off after its headers. */
  readonly onBroken?: (failure: HttpFailure, method: string) => void;
}

/** A `fetch` for libraries, with the redirect rules and the egress policy of `HttpSender`. */
export interface OutboundFetch {
  /**
   * Supports GET, POST and DELETE with a text body. After a redirect to another origin, only the `accept` header is
   * sent.
   *
   * @throws HttpFailure, `refused` for an address that the policy forbids; the signal's reason when aborted.
   */
  readonly fetch: (url: string | URL, init?: RequestInit) => Promise<Response>;
  /** Aborts the requests in flight and closes every socket. */
  close(): Promise<void>;
}

/** Hop-by-hop headers, which could allow request smuggling. */
const connectionHeaders: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

export function createOutboundFetch(options: OutboundFetchOptions): OutboundFetch {
  const sender = createHttpSender(options);
  return {
    fetch: async (url, init = {}) => {
      const limit = limitTime(init.signal, options.totalTimeoutMs);
      try {
        const request = toHttpRequest(url, init, limit.signal);
        const exchange = await sender.send(request).catch((error: unknown) => {
          throw atFirstAddress(error, request.url);
        });
        return toResponse(exchange, request, options, limit);
      } catch (error) {
        limit.dispose();
        throw error;
      }
    },
    close: () => sender.close(),
  };
}

function toHttpRequest(url: string | URL, init: RequestInit, signal: AbortSignal): HttpRequest {
  const { method = 'GET', body = null } = init;
  if (method !== 'GET' && method !== 'POST' && method !== 'DELETE') {
    throw new TypeError(`The method ${method} is not supported.`);
  }
  if (body !== null && typeof body !== 'string') throw new TypeError('The body must be a text.');
  const { accept, ...headers } = Object.fromEntries(
    [...new Headers(init.headers)].filter(([name]) => !connectionHeaders.has(name)),
  );
  return {
    url: new URL(url),
    method,
    headers,
    forwardedHeaders: omitUndefined({ accept }),
    body: body ?? undefined,
    signal,
    bodyTimeoutMs: method === 'GET' ? 0 : undefined,
  };
}

/** Adds the first URL to an error if a redirect target failed. */
function atFirstAddress(error: unknown, url: URL): unknown {
  if (!(error instanceof HttpFailure) || !error.isRedirected) return error;
  const message = `${url.host} redirects to an address that can't be used: ${error.message}`;
  return new HttpFailure('redirect', message, { cause: error });
}

function toResponse(
  { url, response }: HttpExchange,
  { method }: HttpRequest,
  { maxBytes, onBroken }: OutboundFetchOptions,
  { signal, dispose }: LinkedAbort,
): Response {
  if (!mayHaveBody(response.status)) {
    void discardBody(response)
      .catch(() => {})
      .finally(dispose);
    return toFetchResponse(response, null);
  }
  const end = (): void => {
    dispose();
    response.close();
  };
  let receivedBytes = 0;
  const stream = new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      try {
        const pieces = await response.read();
        if (pieces === undefined) {
          dispose();
          return controller.close();
        }
        for (const piece of pieces) receivedBytes += piece.length;
        if (receivedBytes > maxBytes) {
          throw new HttpFailure('too_large', `${url.host} answered more than ${maxBytes} bytes`);
        }
        for (const piece of pieces) controller.enqueue(piece);
      } catch (error) {
        end();
        const message = `the answer of ${url.host} broke off`;
        const failure = toHttpFailure(error, 'interrupted', message, { signal });
        if (failure instanceof HttpFailure) onBroken?.(failure, method);
        controller.error(failure);
      }
    },
    cancel: end,
  });
  return toFetchResponse(response, stream);
}

/** A signal that follows `outer` and aborts after a time limit, until it is disposed. */
function limitTime(outer: AbortSignal | null | undefined, limitMs: number): LinkedAbort {
  const link = linkAbort(outer);
  const timer = setTimeout(() => {
    link.abort(new HttpFailure('timeout', `the answer took more than ${limitMs / 1000} s`));
  }, limitMs);
  return {
    ...link,
    dispose: () => {
      clearTimeout(timer);
      link.dispose();
    },
  };
}
