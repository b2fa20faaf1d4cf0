import type { Context, MiddlewareHandler } from 'hono';
import type { Logger } from '../../kernel/logger.ts';
import type { AppEnvironment } from './app-environment.ts';
import { randomUUID } from 'node:crypto';
import { RequestRecord } from '../../kernel/request/request-record.ts';
import type { EventPublisher } from '../../kernel/events/server-events.ts';
import { checkTraceparent, startTrace } from '../../kernel/request/trace-context.ts';
import type { ApiOf } from './errors/error-response.ts';
import { shareWithOrigin } from './guards/cross-site.ts';
import { rateLimitHeaders } from './guards/rate-gate.ts';

/** Paths that programs poll to watch the server; in the log they would hide other requests. */
const pollPaths =
  /^\/(?:health|ready|metrics|api\/v1\/(?:status|events|logs|requests(?:\/[^/]+)?|models\/download(?:s|\/status\/[^/]+)))$/;

/**
 * Completes the record of a request and logs it after the response was sent. Omits the query and body, which may be
 * private. Polls that succeed are logged as `debug`.
 */
function reportAtEnd(logger: Logger, context: Context<AppEnvironment>): void {
  const record = context.get('record');
  const write = ({ isComplete }: { readonly isComplete: boolean }): void => {
    const { status } = context.res;
    record.finish(status, isComplete);
    const { method, path, failure } = record;
    logger[record.isPoll && status < 400 ? 'debug' : 'info'](
      {
        method,
        path,
        status,
        durationMs: Math.round((record.durationSeconds ?? 0) * 10_000) / 10,
        ...(failure === undefined ? {} : { code: failure.code }),
        ...(isComplete ? {} : { aborted: true }),
      },
      'request',
    );
  };
  const { running } = context.env;
  if (running === undefined) write({ isComplete: true });
  else running.onEnd(write);
}

const saneId = /^[A-Za-z0-9._-]{1,64}$/;

/** Returns the client's id if it is safe in a log and a header, or else a new UUID. */
export function requestIdOf(header: string | undefined): string {
  return header !== undefined && saneId.test(header) ? header : randomUUID();
}

/** The headers of every response; an endpoint may set its own `Cache-Control`. */
export function defaultHeaders(requestId: string) {
  return {
    'cache-control': 'no-store',
    'cross-origin-resource-policy': 'same-origin',
    'x-content-type-options': 'nosniff',
    'x-request-id': requestId,
  };
}

export function setDefaultHeaders(headers: Headers, requestId: string): void {
  for (const [name, value] of Object.entries(defaultHeaders(requestId))) {
    if (name !== 'cache-control' || !headers.has(name)) headers.set(name, value);
  }
}

/** Settings for logs and records of requests. */
export interface Observation {
  readonly events: EventPublisher;
  /** True keeps bodies, prompts and outputs (`log.prompts`). */
  readonly keepsPrompts: boolean;
  readonly isTraced: boolean;
}

/**
 * The outermost middleware: sets the id, logger, record and signal of a request, and the headers and log line of its
 * response.
 */
export function createObserver(
  logger: Logger,
  apiOf: ApiOf,
  { events, keepsPrompts, isTraced }: Observation,
): MiddlewareHandler<AppEnvironment> {
  return async (context, next) => {
    // Absent if a test calls the app without a server.
    context.env ??= {};
    const requestId = requestIdOf(context.req.header('x-request-id'));
    const requestLogger = logger.child({ requestId });
    const { method, path } = context.req;
    const sentTraceparent = context.req.header('traceparent');
    const traceparent = sentTraceparent && checkTraceparent(sentTraceparent);
    const record = new RequestRecord({
      requestId,
      method,
      path,
      events,
      isPoll: method === 'GET' && pollPaths.test(path),
      keepsPrompts,
      trace: isTraced ? startTrace(traceparent) : undefined,
      traceparent,
    });
    context.set('record', record);
    context.set('requestId', requestId);
    context.set('logger', requestLogger);
    context.set('signal', context.env.running?.signal ?? context.req.raw.signal);

    await next();

    // Reading the headers of a response costs more than creating the response.
    if (context.get('hasHeaders') !== true) setHeaders(context, apiOf);
    reportAtEnd(requestLogger, context);
  };
}

/** Header with the key of the answering model; the body repeats the name of the request. */
function modelHeader({ model }: RequestRecord): { readonly 'x-hearth-model'?: string } {
  return model !== undefined && /^[!-~]+$/.test(model) ? { 'x-hearth-model': model } : {};
}

function setHeaders(context: Context<AppEnvironment>, apiOf: ApiOf): void {
  const { headers } = context.res;
  const requestId = context.get('requestId');
  setDefaultHeaders(headers, requestId);
  for (const [name, value] of Object.entries(modelHeader(context.get('record')))) {
    headers.set(name, value);
  }
  const { requestIdHeader, rateLimitStyle = 'openai' } = context.get('api') ?? apiOf(context);
  if (requestIdHeader !== undefined) headers.set(requestIdHeader, requestId);
  const rate = context.get('rate');
  if (rate !== undefined) {
    for (const [name, value] of Object.entries(rateLimitHeaders(rate, rateLimitStyle))) {
      headers.set(name, value);
    }
  }
  if (context.env.isStopping === true) headers.set('Connection', 'close');
  const sharedOrigin = context.get('sharedOrigin');
  if (sharedOrigin !== undefined) shareWithOrigin(headers, sharedOrigin);
}

/** Creates a JSON response. If it needs only the default headers, sets them at once. */
export function jsonResponse(context: Context<AppEnvironment>, value: unknown): Response {
  const json = { 'content-type': 'application/json' };
  const needsMore =
    context.get('api')?.requestIdHeader !== undefined ||
    context.get('rate') !== undefined ||
    context.get('sharedOrigin') !== undefined ||
    context.env.isStopping === true;
  // Not `Response.json`: the server could send its response only as a stream.
  if (needsMore) return new Response(JSON.stringify(value), { headers: json });
  const headers = {
    ...json,
    ...defaultHeaders(context.get('requestId')),
    ...modelHeader(context.get('record')),
  };
  const response = new Response(JSON.stringify(value), { headers });
  context.set('hasHeaders', true);
  return response;
}
