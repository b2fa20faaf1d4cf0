import type { Dispatcher } from 'undici';
import { createAddressPolicy, type AddressPolicy, type Reach } from './address-policy.ts';
import { createHttpAgent } from './http-agent.ts';
import { failureOf, HttpFailure, redirectTarget } from './http-client.ts';

/** What may be reached: what a stranger named, or what the person who runs Hearth chose. */
export type FetchEgress =
  /** Never through a proxy: it would resolve the name, and nobody could check what it found. */
  | ({ readonly type: 'public' } & Reach)
  /** Any address; the `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY` of the environment are followed. */
  | { readonly type: 'any'; readonly environment: Readonly<Record<string, string | undefined>> };

interface GuardedFetchOptions {
  readonly reach: FetchEgress;
  /** Most bytes of one answer. */
  readonly maxBytes: number;
  /** Longest silence until it is connected, until headers, and between pieces of a body but that of a GET, which may be a feed of news. */
  readonly idleTimeoutMs: number;
  /** Longest time of one request with its answer. */
  readonly totalTimeoutMs: number;
  /** Told why the answer to a request broke off after its headers had come. */
  readonly onBroken?: (failure: HttpFailure, method: string) => void;
}

/** An outbound `fetch` for libraries that take one. */
export interface GuardedFetch {
  /**
   * Redirects are followed, never from https to http. The headers go to the first origin alone, and a body is
   * sent again only there.
   *
   * @throws HttpFailure, `refused` for an address out of reach; the signal's reason when aborted.
   */
  readonly fetch: (url: string | URL, init?: RequestInit) => Promise<Response>;
  /** Ends what is under way and closes every socket. */
  close(): Promise<void>;
}

interface Hop {
  readonly url: URL;
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

const maxRedirects = 5;
const maxDumpedBytes = 16_384;
const redirectStatuses: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
/** They belong to the connection; a caller who sets them could smuggle a second request into it. */
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

export function createGuardedFetch(options: GuardedFetchOptions): GuardedFetch {
  const { reach, idleTimeoutMs, totalTimeoutMs } = options;
  const policy = reach.type === 'public' ? createAddressPolicy(reach) : undefined;
  const environment = reach.type === 'public' ? {} : reach.environment;
  const agent = createHttpAgent({ environment, idleTimeoutMs, policy });
  return {
    fetch: async (url, init = {}) => {
      const { signal, disarm } = limited(init.signal, totalTimeoutMs);
      try {
        const { hop, response } = await follow({ agent, policy }, firstHop(url, init), signal);
        return toResponse(hop, response, options, signal, disarm);
      } catch (error) {
        disarm();
        throw error;
      }
    },
    close: () => agent.destroy(),
  };
}

function firstHop(url: string | URL, init: RequestInit): Hop {
  const { method = 'GET', body = null } = init;
  if (method !== 'GET' && method !== 'POST' && method !== 'DELETE') {
    throw new TypeError(`The method ${method} is not supported.`);
  }
  if (body !== null && typeof body !== 'string') throw new TypeError('The body must be a text.');
  const headers = Object.fromEntries(
    [...new Headers(init.headers)].filter(([name]) => !connectionHeaders.has(name)),
  );
  return { url: new URL(url), method, headers: { 'user-agent': 'hearth', ...headers }, body };
}

interface Route {
  readonly agent: Dispatcher;
  readonly policy: AddressPolicy | undefined;
}

async function follow(
  route: Route,
  first: Hop,
  signal: AbortSignal,
): Promise<{ readonly hop: Hop; readonly response: Dispatcher.ResponseData }> {
  let hop = first;
  for (let redirects = 0; redirects <= maxRedirects; redirects += 1) {
    const response = await send(route, hop, signal).catch((error: unknown) => {
      if (redirects === 0 || !(error instanceof HttpFailure)) throw error;
      const message = `${first.url.host} redirects to where nothing can be had: ${error.message}`;
      throw new HttpFailure('redirect', message, { cause: error });
    });
    const { location } = response.headers;
    if (!redirectStatuses.has(response.statusCode) || location === undefined) {
      return { hop, response };
    }
    await response.body.dump({ limit: maxDumpedBytes, signal }).catch(() => {});
    hop = redirected(hop, response.statusCode, redirectTarget(hop.url, location));
  }
  throw new HttpFailure('redirect', `${first.url.host} redirects more than ${maxRedirects} times`);
}

async function send(
  { agent, policy }: Route,
  { url, method, headers, body }: Hop,
  signal: AbortSignal,
): Promise<Dispatcher.ResponseData> {
  signal.throwIfAborted();
  try {
    policy?.assertUrl(url);
    return await agent.request({
      origin: url.origin,
      path: url.pathname + url.search,
      method,
      headers,
      body,
      signal,
      ...(method === 'GET' ? { bodyTimeout: 0 } : {}),
    });
  } catch (error) {
    throw failureOf(error, 'unreachable', `${url.host} can't be reached`, signal);
  }
}

function redirected(hop: Hop, status: number, url: URL): Hop {
  const isSameOrigin = url.origin === hop.url.origin;
  const keepsMethod = status === 307 || status === 308;
  if (hop.method !== 'GET' && !(isSameOrigin && keepsMethod)) {
    const message = `${hop.url.host} redirects to ${url.origin}; what was sent does not go there`;
    throw new HttpFailure('redirect', message);
  }
  if (isSameOrigin) return { ...hop, url };
  const { accept } = hop.headers;
  return { ...hop, url, headers: accept === undefined ? {} : { accept } };
}

function toResponse(
  { url, method }: Hop,
  response: Dispatcher.ResponseData,
  { maxBytes, onBroken }: GuardedFetchOptions,
  signal: AbortSignal,
  disarm: () => void,
): Response {
  const { statusCode: status, body } = response;
  const headers = new Headers();
  for (const [name, value] of Object.entries(response.headers)) {
    for (const each of [value ?? []].flat()) headers.append(name, each);
  }
  if (status < 200 || [204, 205, 304].includes(status)) {
    disarm();
    void body.dump({ limit: maxDumpedBytes }).catch(() => {});
    return new Response(null, { status: status < 200 ? 502 : status, headers });
  }
  const pieces = (body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]();
  let receivedBytes = 0;
  const fail = (error: unknown): unknown => {
    disarm();
    body.destroy();
    const failure = failureOf(error, 'interrupted', `the answer of ${url.host} broke off`, signal);
    if (failure instanceof HttpFailure) onBroken?.(failure, method);
    return failure;
  };
  const stream = new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      try {
        const piece = await pieces.next();
        if (piece.done === true) {
          disarm();
          return controller.close();
        }
        receivedBytes += piece.value.length;
        if (receivedBytes > maxBytes) {
          const message = `${url.host} answered more than ${maxBytes} bytes`;
          throw new HttpFailure('too_large', message);
        }
        controller.enqueue(piece.value);
      } catch (error) {
        controller.error(fail(error));
      }
    },
    cancel: () => {
      disarm();
      body.on('error', () => {}).destroy();
    },
  });
  return new Response(stream, { status, headers });
}

/** A signal that follows another one and ends after a while; `disarm` lets go of both. */
function limited(outer: AbortSignal | null | undefined, limitMs: number) {
  const controller = new AbortController();
  const abort = (): void => controller.abort(outer?.reason);
  const timer = setTimeout(() => {
    controller.abort(new HttpFailure('timeout', `the answer took more than ${limitMs / 1000} s`));
  }, limitMs);
  if (outer?.aborted === true) abort();
  outer?.addEventListener('abort', abort, { once: true });
  return {
    signal: controller.signal,
    disarm: () => {
      clearTimeout(timer);
      outer?.removeEventListener('abort', abort);
    },
  };
}
