import { TimeoutError, withTimeout } from '../../kernel/concurrency/with-timeout.ts';
import { omitUndefined } from '../../kernel/omit-undefined.ts';
import { toFetchResponse } from '../../platform/net/fetch-response.ts';
import type { HttpClient } from '../../platform/net/http-client.ts';
import { HttpFailure } from '../../platform/net/http-failure.ts';
import { withRetries, type RetryPolicy } from '../../platform/net/with-retries.ts';

export interface HubConnection {
  readonly http: HttpClient;
  readonly endpoint: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** Waits between two attempts. */
  readonly wait?: NonNullable<RetryPolicy['wait']>;
}

/** A `fetch` for GET, as `@huggingface/hub` calls it. */
export type GetFetch = (input: string | URL | Request) => Promise<Response>;

/** A longer `Retry-After` is an error, since a client is waiting. */
const retryPolicy: RetryPolicy = { maxFailures: 3, maxDelayMs: 10_000 };
/** Time limit for one response, from the request to the last byte. */
const answerTimeoutMs = 60_000;
const maxAnswerBytes = 8 * 1024 * 1024;
/** Maximum number of requests (pages) for one listing. */
const maxRequests = 50;

/**
 * Creates a `fetch` for one query to the hub. It sends them to the hub's own origin only,
 * retries transient failures, and fails for every status other than 2xx.
 *
 * @throws HttpFailure; the signal's reason when aborted.
 */
export function createHubFetch(connection: HubConnection, signal: AbortSignal): GetFetch {
  const policy = { ...retryPolicy, ...omitUndefined({ wait: connection.wait }) };
  let requests = 0;
  return async (input) => {
    const url = ownAddress(connection.endpoint, new Request(input).url);
    requests += 1;
    if (requests > maxRequests) {
      throw new HttpFailure('too_large', `it lists more than ${maxRequests} pages`);
    }
    return withRetries({ attempt: () => ask(connection, url, signal), policy, signal });
  };
}

async function ask(connection: HubConnection, url: URL, signal: AbortSignal): Promise<Response> {
  const { http, headers } = connection;
  try {
    return await withTimeout(answerTimeoutMs, signal, async (attemptSignal) => {
      const response = await http.get(url, {
        signal: attemptSignal,
        maxBytes: maxAnswerBytes,
        headers: { accept: 'application/json', ...headers },
      });
      const pieces: Uint8Array[] = [];
      for await (const piece of response.body) pieces.push(piece);
      return toFetchResponse(response, Buffer.concat(pieces));
    });
  } catch (error) {
    if (!(error instanceof TimeoutError)) throw error;
    throw new HttpFailure('timeout', `${url.host} took too long to answer`, { cause: error });
  }
}

/** Uses only the path and query of a next page's URL, since a mirror may forward that of the original hub. */
function ownAddress(endpoint: URL, address: string): URL {
  const target = new URL(address);
  if (target.origin === endpoint.origin) return target;
  // Set part by part: in a URL as text, a path that starts with two slashes would name another host.
  const own = new URL(endpoint);
  own.pathname = `${endpoint.pathname.replace(/\/+$/, '')}${target.pathname}`;
  own.search = target.search;
  return own;
}
