import { HearthError } from '../../../kernel/errors/errors.ts';
import type { ErrorSerializer } from './error-serializer.ts';
import type { Context } from 'hono';
import { describeStoreError } from '../../../store/store-errors.ts';
import type { AppEnvironment } from '../app-environment.ts';
import type { ApiDescription } from '../api.ts';

/** Formats an error as a response of an API. */
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
 * The response if an answer could not be stored: the error with the answer as `result`, so that clients don't lose
 * answers because of a full disk.
 */
export function unstoredResult(
  error: HearthError,
  serializer: ErrorSerializer,
  result: unknown,
): Response {
  const { status, headers, body } = serializer.serialize(error);
  return Response.json({ ...body, result }, { status, headers });
}

/** Only for the log: the client has closed the connection. */
const clientClosedRequest = 499;

/** Finds the API whose error format applies to a request. */
export type ApiOf = (context: Context<AppEnvironment>) => ApiDescription;

/** Converts an error of a guard or handler to a response of the API. */
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
