import { access } from './access.ts';
import { basePath } from './base-path.ts';
import { ApiError, toApiError, UnreachableError } from './api-error.ts';
import type { Method, PathOf, RequestParts, ResultOf, RouteOf } from './routes.ts';
import { isOpenToAll } from './session.ts';
import { readServerSentEvents, type ServerSentEvent } from './server-sent-events.ts';
import { toUrl, type UrlParts } from './to-url.ts';

interface Parts extends UrlParts {
  readonly body?: unknown;
}

interface Options {
  readonly signal?: AbortSignal | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  /** Priority among the requests that wait in the browser. */
  readonly priority?: RequestPriority;
  /** Sends the request even if the page is closed. */
  readonly keepalive?: boolean;
}

interface StreamOptions extends Options {
  /** Called when no event is available; delays the next read so that more events arrive together. */
  readonly pause?: () => Promise<void>;
}

/**
 * Calls an endpoint of the contract: `call('get', '/api/v1/models', {})`. The declaration determines the types of its
 * input and result.
 *
 * @throws ApiError, UnreachableError; the signal's reason when aborted.
 */
export async function call<M extends Method, P extends PathOf<M>>(
  method: M,
  path: P,
  parts: RequestParts<RouteOf<M, P>>,
  options: Options = {},
): Promise<ResultOf<RouteOf<M, P>>> {
  const response = await send(method, toUrl(path, parts), parts, options);
  return (await response.json()) as ResultOf<RouteOf<M, P>>;
}

/**
 * Calls an endpoint that responds with server-sent events. Leaving the loop ends the request.
 *
 * @throws The errors of `call`; UnreachableError if the connection breaks.
 */
export async function* stream<M extends Method, P extends PathOf<M>>(
  method: M,
  path: P,
  parts: RequestParts<RouteOf<M, P>>,
  options: StreamOptions = {},
): AsyncGenerator<ServerSentEvent> {
  yield* streamUrl(method, toUrl(path, parts), parts, options);
}

/** Like `stream`, for URLs that are not part of the contract. */
export async function* streamUrl(
  method: string,
  url: string,
  parts: Parts,
  { signal, pause, ...options }: StreamOptions = {},
): AsyncGenerator<ServerSentEvent> {
  const controller = new AbortController();
  const combined = AbortSignal.any([controller.signal, ...(signal === undefined ? [] : [signal])]);
  try {
    const response = await send(method, url, parts, {
      ...options,
      signal: combined,
      headers: { accept: 'text/event-stream', ...options.headers },
    });
    if (response.body === null) return;
    yield* readServerSentEvents(response.body, pause);
  } catch (error) {
    if (signal?.aborted === true) throw signal.reason;
    throw error instanceof ApiError ? error : new UnreachableError(messageOf(error));
  } finally {
    controller.abort();
  }
}

/** Fetches a file, such as an export, with the token of the tab. */
export async function fetchFile(url: string, options: Options = {}): Promise<Blob> {
  return (await send('get', url, {}, options)).blob();
}

/**
 * Sends a request with the token of the tab. If the token has become invalid and the server requires none, repeats the
 * request without it; otherwise the token page is shown.
 */
export async function send(
  method: string,
  url: string,
  parts: Parts,
  options: Options = {},
): Promise<Response> {
  const { body } = parts;
  const { signal, headers, priority = 'auto', keepalive = false } = options;
  const { token } = access.get();
  let response: Response;
  try {
    response = await fetch(basePath + url, {
      method: method.toUpperCase(),
      headers: {
        ...(body === undefined || body instanceof Blob
          ? {}
          : { 'content-type': 'application/json' }),
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: body instanceof Blob ? body : JSON.stringify(body) }),
      signal: signal ?? null,
      cache: 'no-store',
      priority,
      keepalive,
    });
  } catch (error) {
    if (signal?.aborted === true) throw signal.reason;
    throw new UnreachableError(messageOf(error));
  }
  if (response.ok) return response;
  const error = await toApiError(response);
  // Ignores the refusal of a token that was replaced in the meantime.
  if (!error.isSignedOut) throw error;
  if (token !== undefined && (await isOpenToAll())) {
    if (access.get().token === token) access.end();
    return send(method, url, parts, options);
  }
  if (access.get().token === token) access.refuse(error.message);
  throw error;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
