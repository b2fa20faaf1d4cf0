import type { MiddlewareHandler } from 'hono';
import type { Logger } from '../../kernel/logger.ts';
import { RequestRecord } from '../../telemetry/request-record.ts';
import type { EventPublisher } from '../../telemetry/server-events.ts';
import { checkTraceparent, startTrace } from '../../telemetry/trace-context.ts';
import { isPoll, reportAtEnd } from './access-log.ts';
import type { AppEnvironment } from './app-environment.ts';
import type { ApiOf } from './errors/handle-error.ts';
import { shareWithOrigin } from './guards/origin.ts';
import { rateLimitHeaders } from './guards/rate-limit-headers.ts';
import { requestIdOf } from './guards/request-id.ts';
import { setDefaultHeaders } from './default-headers.ts';

/** Where requests are reported, and what of them. */
export interface Observation {
  readonly events: EventPublisher;
  /** Whether to keep bodies, prompts and outputs (`log.prompts`). */
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
    const traceparent = checkTraceparent(context.req.header('traceparent'));
    const record = new RequestRecord({
      requestId,
      method,
      path,
      events,
      isPoll: isPoll(method, path),
      keepsPrompts,
      trace: isTraced ? startTrace(traceparent) : undefined,
      traceparent,
    });
    context.set('record', record);
    context.set('requestId', requestId);
    context.set('logger', requestLogger);
    context.set('signal', context.env.running?.signal ?? context.req.raw.signal);

    await next();

    const { headers } = context.res;
    setDefaultHeaders(headers, requestId);
    const { requestIdHeader } = apiOf(context);
    if (requestIdHeader !== undefined) headers.set(requestIdHeader, requestId);
    const rate = context.get('rate');
    if (rate !== undefined) {
      const style = apiOf(context).rateLimitStyle ?? 'openai';
      for (const [name, value] of Object.entries(rateLimitHeaders(rate, style))) {
        headers.set(name, value);
      }
    }
    if (context.env.isStopping === true) headers.set('Connection', 'close');
    const sharedOrigin = context.get('sharedOrigin');
    if (sharedOrigin !== undefined) shareWithOrigin(headers, sharedOrigin);
    reportAtEnd(requestLogger, context);
  };
}
