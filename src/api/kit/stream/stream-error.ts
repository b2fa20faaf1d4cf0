import { HearthError } from '../../../kernel/errors/errors.ts';
import type { RequestContext } from '../../../telemetry/request-context.ts';

/**
 * What a stream that has begun says of a failure. A fault of the server is logged.
 *
 * @throws The error itself where the client has disconnected.
 */
export function toStreamError(error: unknown, { signal, logger }: RequestContext): HearthError {
  if (error instanceof HearthError) return error;
  if (signal.aborted) {
    if (signal.reason instanceof HearthError) return signal.reason;
    throw error;
  }
  logger.error({ err: error }, 'stream failed');
  return new HearthError(
    'internal',
    'An unexpected error occurred; the log of the server has the details.',
  );
}
