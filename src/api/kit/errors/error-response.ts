import { HearthError } from '../../../kernel/errors/errors.ts';
import type { ErrorSerializer } from './error-serializer.ts';
import type { Context } from 'hono';
import { describeStoreError } from '../../../store/store-errors.ts';
import type { AppEnvironment } from '../app-environment.ts';
import type { ApiDescription } from '../api.ts';

/** The response of an API to a request that failed. */
export function errorResponse(
  error: HearthError,
  serializer: ErrorSerializer,
  requestId: string,
): Response {
  const { status, headers, body } = serializer.serialize(error, requestId);
  return new Response(JSON.stringify(body), {
    status,
    headers: { 'Content-Type': 'application/json', ...headers },
  });
}

/**
 * The response to a request whose answer could not be stored: the error, and beside it the answer as `result`, so that
 * a full disk costs no client its answer.
 */
export function unstoredResult(
  error: HearthError,
  serializer: ErrorSerializer,
  result: unknown,
): Response {
  const { status, headers, body } = serializer.serialize(error);
  return Response.json({ ...body, result }, { status, headers });
}

/** Never sent: the client closed the connection. */
const clientClosedRequest = 499;

/** Finds the API whose error format a request gets. */
export type ApiOf = (context: Context<AppEnvironment>) => ApiDescription;

/** Turns an error of a guard or handler into a response of the API. */
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
