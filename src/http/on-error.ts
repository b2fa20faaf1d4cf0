import type { Context } from 'hono';
import { HearthError } from '../contract/errors.ts';
import type { AppEnvironment } from './app-environment.ts';
import { errorResponse } from './error-response.ts';

/** Never received: the client closed the connection. */
const clientClosedRequest = 499;

/** Turns what a handler threw into a response. */
export function handleError(error: Error, context: Context<AppEnvironment>): Response {
  const { path } = context.req;
  const logger = context.get('logger');
  const signal = context.get('signal');
  if (error instanceof HearthError) {
    if (error.status >= 500) logger.warn({ code: error.code, err: error }, 'request failed');
    return errorResponse(error, path);
  }
  if (signal.aborted) {
    const { reason } = signal as { reason: unknown };
    if (reason instanceof HearthError) return errorResponse(reason, path);
    return new Response(null, { status: clientClosedRequest });
  }
  logger.error({ err: error }, 'request failed');
  const message = `Something went wrong in the server; its log says more under the request id ${context.get('requestId')}.`;
  return errorResponse(new HearthError('internal', message), path);
}
