import { toFetchResponse } from '../../platform/net/fetch-response.ts';
import type { HttpClient } from '../../platform/net/http-client.ts';
import { HttpFailure } from '../../platform/net/http-failure.ts';
import { readWithRetries, type RetryWait } from './read-body.ts';

export interface HubConnection {
  readonly http: HttpClient;
  readonly endpoint: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly wait?: RetryWait;
}

/** A `fetch` for GET, as `@huggingface/hub` calls it. */
export type GetFetch = (input: string | URL | Request) => Promise<Response>;

const maxAnswerBytes = 8 * 1024 * 1024;
/** Maximum number of requests (pages) for one listing. */
const maxRequests = 50;

/**
 * Creates a `fetch` for one query to the hub. It sends requests to the hub's own origin only, retries transient
 * failures, and throws for every status other than 2xx.
 *
 * @throws HttpFailure; the signal's reason when aborted.
 */
export function createHubFetch(connection: HubConnection, signal: AbortSignal): GetFetch {
  const { http, headers, wait } = connection;
  let requests = 0;
  return async (input) => {
    const url = ownAddress(connection.endpoint, new Request(input).url);
    requests += 1;
    if (requests > maxRequests) {
      throw new HttpFailure('too_large', `it lists more than ${maxRequests} pages`);
    }
    const answer = await readWithRetries(http, url, {
      signal,
      wait,
      maxBytes: maxAnswerBytes,
      headers: { accept: 'application/json', ...headers },
    });
    return toFetchResponse(answer, answer.body);
  };
}

/**
 * Uses only the path and query of a next page's URL, since a mirror may forward the original hub's
 * URL.
 */
function ownAddress(endpoint: URL, address: string): URL {
  const target = new URL(address);
  if (target.origin === endpoint.origin) return target;
  // Sets each part separately: if the URL were parsed from text, a path that starts with two slashes would name another
  // host.
  const own = new URL(endpoint);
  own.pathname = `${endpoint.pathname.replace(/\/+$/, '')}${target.pathname}`;
  own.search = target.search;
  return own;
}
