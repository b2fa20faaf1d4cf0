import type { Context } from 'hono';
import { HearthError } from '../../../kernel/errors/errors.ts';
import { describeStoreError } from '../../../store/store-errors.ts';
import type { AppEnvironment } from '../app-environment.ts';
import type { ApiDescription } from '../api-description.ts';
import { errorResponse } from './error-response.ts';

/** Never sent: the client closed the connection. */
const clientClosedRequest = 499;

/** Finds the API whose error format a request gets. */
export type ApiOf = (context: Context<AppEnvironment>) => ApiDescription;

/** Turns what a guard or handler threw into a response of the API. */
export function createErrorHandler(
  apiOf: ApiOf,
): (error: Error, context: Context<AppEnvironment>) => Response {
  return (error, context) => {
    const { errorSerializer } = apiOf(context);
    const logger = context.get('logger');
    const signal = context.get('signal');
    const requestId = context.get('requestId');
    if (error instanceof HearthError) {
      context.get('record').fail(error);
      if (error.status >= 500) logger.warn({ code: error.code, err: error }, 'request failed');
      return errorResponse(error, errorSerializer, requestId);
    }
    if (signal.aborted) {
      const { reason } = signal as { reason: unknown };
      if (reason instanceof HearthError) return errorResponse(reason, errorSerializer, requestId);
      return new Response(null, { status: clientClosedRequest });
    }
    logger.error({ err: error }, 'request failed');
    context.get('record').fail({ code: 'internal', message: error.message });
    const reason = describeStoreError(error);
    const failure =
      reason === undefined
        ? 'Something went wrong in the server'
        : `The server could not use its database: ${reason}`;
    const message = `${failure}; its log says more under the request id ${requestId}.`;
    return errorResponse(new HearthError('internal', message), errorSerializer, requestId);
  };
}
