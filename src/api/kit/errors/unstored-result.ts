import type { HearthError } from '../../../kernel/errors/errors.ts';
import type { ErrorSerializer } from './error-serializer.ts';

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
