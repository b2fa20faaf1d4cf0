import { errorCode } from '../../kernel/error-code.ts';
import type { IncomingHttpHeaders } from 'node:http';
import type { EgressPolicy } from './address-policy.ts';
import { HttpFailure, toHttpFailure } from './http-failure.ts';
import { createHttpSender, discardBody } from './http-sender.ts';
import type { ResponseReader } from './response-reader.ts';

export interface HttpGetOptions {
  readonly signal: AbortSignal;
  /** Maximum size of the body in bytes. */
  readonly maxBytes: number;
  /** Headers for the first origin only; dropped at the first redirect to another origin. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Headers for all redirect targets, such as `range`; must not be secret. */
  readonly forwardedHeaders?: Readonly<Record<string, string>>;
  /** Called after each piece of the body with the bytes received so far. */
  readonly onProgress?: (receivedBytes: number, totalBytes?: number) => void;
}

export interface HttpResponse {
  /** Address of the response, after redirects. */
  readonly url: URL;
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /**
   * Read the body to its end, break out of the loop, `discard` it or abort the signal; otherwise the connection stays
   * in use. Reading throws `HttpFailure` like the request itself.
   */
  readonly body: AsyncIterable<Uint8Array>;
  discard(): void;
}

/** An HTTP client for addresses outside this machine. */
export interface HttpClient {
  /**
   * Requests a resource and follows redirects, never from https to http.
   *
   * @throws HttpFailure, including for a status other than 2xx; the signal's reason when aborted.
   */
  get(url: URL, options: HttpGetOptions): Promise<HttpResponse>;
  /** Aborts the requests in flight and closes every socket. */
  close(): Promise<void>;
}

interface HttpClientOptions {
  /** Environment with `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY`. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Idle timeout, which applies separately to the connection, the headers and each chunk of the body. */
  readonly idleTimeoutMs?: number;
  /** Allowed addresses of requests and redirects; defaults to any. */
  readonly egress?: EgressPolicy;
}

export function createHttpClient(options: HttpClientOptions): HttpClient {
  const { environment, idleTimeoutMs = 30_000, egress = { type: 'any' } } = options;
  const sender = createHttpSender({ environment, idleTimeoutMs, egress });
  return {
    get: async (url, getOptions) => {
      const { signal, headers = {}, forwardedHeaders = {} } = getOptions;
      const request = { url, method: 'GET', headers, forwardedHeaders, signal } as const;
      const exchange = await sender.send(request);
      const { response } = exchange;
      const { status } = response;
      if (status < 200 || status >= 300) {
        await discardBody(response).catch(() => {});
        const message = `${exchange.url.host} answered ${status}`;
        throw new HttpFailure('status', message, {
          status,
          headers: response.headers,
          isRedirected: exchange.url.origin !== url.origin,
        });
      }
      return {
        url: exchange.url,
        status,
        headers: response.headers,
        body: readBody(
          response,
          getOptions,
          `${exchange.url.host} sent nothing for ${idleTimeoutMs / 1000} seconds`,
        ),
        discard: () => response.close(),
      };
    },
    close: () => sender.close(),
  };
}

/** @param silence Message of the error if the body stalls. */
async function* readBody(
  response: ResponseReader,
  { signal, maxBytes, onProgress }: HttpGetOptions,
  silence: string,
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
    const isSilent = errorCode(error) === 'UND_ERR_BODY_TIMEOUT';
    const message = isSilent ? silence : `the transfer broke off after ${receivedBytes} bytes`;
    throw toHttpFailure(error, 'interrupted', message, { signal });
  } finally {
    // Closes the connection if the body was not read to its end.
    response.close();
  }
}
