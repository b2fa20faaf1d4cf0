import type { MiddlewareHandler } from 'hono';
import type { Logger } from '../observability/logger.ts';
import { logAtEnd } from './access-log.ts';
import type { AppEnvironment } from './app-environment.ts';
import type { SurfaceOf } from './errors/handle-error.ts';
import { shareWithOrigin } from './guards/origin.ts';
import { requestIdOf } from './guards/request-id.ts';
import { setDefaultHeaders } from './default-headers.ts';

/** The outermost middleware: sets the id, logger and signal of a request, and the headers and log line of its response. */
export function createObserver(
  logger: Logger,
  surfaceOf: SurfaceOf,
): MiddlewareHandler<AppEnvironment> {
  return async (context, next) => {
    const startedAtMs = performance.now();
    // Absent if a test calls the app without a server.
    context.env ??= {};
    const requestId = requestIdOf(context.req.header('x-request-id'));
    const requestLogger = logger.child({ requestId });
    context.set('requestId', requestId);
    context.set('logger', requestLogger);
    context.set('signal', context.env.running?.signal ?? context.req.raw.signal);

    await next();

    const { headers } = context.res;
    setDefaultHeaders(headers, requestId);
    const { requestIdHeader } = surfaceOf(context);
    if (requestIdHeader !== undefined) headers.set(requestIdHeader, requestId);
    if (context.env.isStopping === true) headers.set('Connection', 'close');
    const sharedOrigin = context.get('sharedOrigin');
    if (sharedOrigin !== undefined) shareWithOrigin(headers, sharedOrigin);
    logAtEnd(requestLogger, context, startedAtMs);
  };
}
