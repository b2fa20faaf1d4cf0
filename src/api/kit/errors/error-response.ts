import type { HearthError } from '../../../kernel/errors/errors.ts';
import type { ErrorSerializer } from './error-serializer.ts';

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
