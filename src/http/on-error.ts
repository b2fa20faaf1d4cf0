import type { Context } from 'hono';
import { HearthError } from '../contract/errors.ts';
import type { Logger } from '../observability/logger.ts';
import type { AppEnvironment } from './app-environment.ts';
import { errorResponse } from './error-response.ts';

/** Never received: the client closed the connection. */
const clientClosedRequest = 499;

/** Answers what a handler threw. */
export function createErrorHandler(
  logger: Logger,
): (error: Error, context: Context<AppEnvironment>) => Response {
  return (error, context) => {
    const { path } = context.req;
    const signal = context.get('signal');
    const requestId = context.get('requestId');
    if (error instanceof HearthError) {
      if (error.status >= 500)
        logger.warn({ requestId, code: error.code, err: error }, 'request failed');
      return errorResponse(error, path);
    }
    if (signal.aborted) {
      const { reason } = signal as { reason: unknown };
      if (reason instanceof HearthError) return errorResponse(reason, path);
      return new Response(null, { status: clientClosedRequest });
    }
    logger.error({ requestId, err: error }, 'request failed');
    const message = `Something went wrong in the server; its log says more under the request id ${requestId}.`;
    return errorResponse(new HearthError('internal', message), path);
  };
}
